"""The layers of the package: arrows one way, and a light start."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import ghostsim

PACKAGE = Path(ghostsim.__file__).parent

#: Lowest first. A module may import from its own layer and from those above it in this list.
LAYERS = [
    {
        "_cache",
        "_checks",
        "_cluster",
        "_once",
        "_program",
        "_parallel",
        "errors",
        "progress",
        "table_files",
    },
    {"_jit"},
    {"kernels"},
    {"cards", "plots"},
    {"rules", "deals", "hand_classes"},
    {"preferences", "endgames", "openings", "position", "notation", "diagrams"},
    {"batches", "class_odds", "stats"},
    {"solver", "odds"},
    {"replay", "ratings", "clustered", "sequential"},
    {"table", "layouts"},
    {"strategies", "hints"},
    {"simulate"},
    {"study", "report"},
]


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


def first_name(path: Path) -> str:
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> set[str]:
    """All that a module imports, wherever it does so."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            found.add(node.module or "")
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def level(name: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if name in layer)


@pytest.mark.parametrize("path", modules(), ids=lambda path: str(path.relative_to(PACKAGE)))
def test_arrows_point_one_way(path: Path) -> None:
    here = level(first_name(path))
    for name in imports(path):
        parts = name.split(".")
        if (
            parts[0] == "ghostsim"
            and len(parts) > 1
            and (PACKAGE / parts[1]).with_suffix(".py").exists() | (PACKAGE / parts[1]).is_dir()
        ):
            assert level(parts[1]) <= here, f"{path.name} imports {name}"


def test_kernels_know_arrays_only() -> None:
    allowed = (
        "numpy",
        "ghostsim._jit",
        "ghostsim.kernels",
        "functools",
        "itertools",
        "math",
        "typing",
        "__future__",
    )
    for path in (PACKAGE / "kernels").glob("*.py"):
        for name in imports(path):
            assert name.startswith(allowed), f"{path.name} imports {name}"


def test_only_one_module_decorates() -> None:
    users = {
        path.name for path in modules() if any(name.startswith("numba") for name in imports(path))
    }
    assert users == {"_jit.py"}


def test_only_one_module_knows_joblib() -> None:
    users = {path.name for path in modules() if any(n.startswith("joblib") for n in imports(path))}
    assert users == {"_parallel.py"}


def test_plots_compute_nothing() -> None:
    assert not {n for n in imports(PACKAGE / "plots.py") if n.startswith("ghostsim")}


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport sys\nprint(*sorted(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(done.stdout.split())


def test_import_is_light() -> None:
    loaded = loaded_after("import ghostsim")
    assert not loaded & {"numpy", "numba", "pandas", "matplotlib", "joblib"}


def test_cards_need_no_compiler() -> None:
    loaded = loaded_after("from ghostsim import Hand, Rules\nHand('JS JC AS KS AH 9D')")
    assert not loaded & {"numpy", "numba", "pandas", "matplotlib"}


def test_odds_need_neither_pandas_nor_matplotlib() -> None:
    loaded = loaded_after(
        "from ghostsim import trick_distribution\ntrick_distribution('JS JC AS KS AH 9D', 'S').mean"
    )
    assert not loaded & {"pandas", "matplotlib"}


def test_help_is_light() -> None:
    loaded = loaded_after(
        "from ghostsim.study.cli import main\nimport contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()):\n    main(['swap-value', '--help'])"
    )
    assert not loaded & {"numpy", "numba", "pandas", "matplotlib", "joblib"}


def test_public_names_exist() -> None:
    for name in ghostsim.__all__:
        assert getattr(ghostsim, name).__name__ == name
    with pytest.raises(AttributeError, match="no attribute 'Joker'"):
        _ = ghostsim.Joker
    assert dir(ghostsim) == sorted(ghostsim.__all__)
