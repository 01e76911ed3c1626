"""Monte Carlo: deal, decide, solve, count. Here to check exact numbers by an independent road."""
