"""What tests share: hypothesis settings, one warning that is meant to be there, quick charts."""

import pytest
from hypothesis import settings
from numba.core import config as numba_config

# No deadline: the first example that reaches a kernel waits for its compilation. The examples are
# the same in every run, so that CI fails only on a change of the code, never by luck; and as they
# are the same, more than a few dozen would cost more time than they find.
settings.register_profile("ghostsim", deadline=None, derandomize=True, max_examples=50)
# For a hunt by hand: `pytest --hypothesis-profile=hunt` tries new examples, and more of them.
settings.register_profile("hunt", deadline=None, max_examples=2_000)
settings.load_profile("ghostsim")


def pytest_configure(config: pytest.Config) -> None:
    """Let the generator wrap around in silence when numba is off."""
    if numba_config.DISABLE_JIT:  # type: ignore[attr-defined]  # set from the environment
        # Without numba, kernels/rng.py computes with numpy scalars. Its arithmetic is modulo 2^64,
        # which is what splitmix64 asks for, but numpy warns when a uint64 scalar wraps.
        config.addinivalue_line(
            "filterwarnings",
            "ignore:overflow encountered in scalar (add|multiply)"
            r":RuntimeWarning:ghostsim\.kernels\.rng",
        )


@pytest.fixture
def quick_charts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Charts of which nothing is drawn but the name: drawing takes most of the time."""
    from ghostsim import plots

    monkeypatch.setattr(plots, "chart_bytes", lambda name, _, kind: f"{name}.{kind}".encode())
