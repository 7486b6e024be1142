"""What does no module of the package do? Read out of the source, so that a new line that does it is seen at once."""

import ast
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "src" / "stilltrue"
MODULES = sorted(SOURCE.rglob("*.py"))
NO_IMPORT = {"pickle", "marshal", "shelve", "dill", "joblib", "yaml", "xmlrpc", "telnetlib", "ftplib", "torch"}
NO_CALL = {"eval", "exec", "compile", "__import__"}
NO_METHOD = {
    ("os", "system"), ("os", "popen"), ("tempfile", "mktemp"), ("np", "load"), ("numpy", "load"), ("ET", "parse"),
    ("ssl", "_create_unverified_context"), ("random", "token"),
    ("yaml", "load"), ("yaml", "full_load"), ("yaml", "unsafe_load"),
}  # fmt: skip
ALLOWED = {"connect/marked_yaml.py": {"imports yaml"}}
"""PyYAML composes nodes there, which it does not turn into objects; its other ways of reading are no calls of ours."""
SECRETS = {"token", "secret", "hash", "digest", "signature", "kept", "mac", "key"}


def name_of(module):
    return module.relative_to(SOURCE).as_posix()


def calls_of(tree):
    return (node for node in ast.walk(tree) if isinstance(node, ast.Call))


def faults_of(source):
    """What is wrong with a module, as (line, what)."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        names = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from ((node.lineno, f"imports {name}") for name in names if name.partition(".")[0] in NO_IMPORT)
    for call in calls_of(tree):
        if isinstance(call.func, ast.Name) and call.func.id in NO_CALL:
            yield call.lineno, f"calls {call.func.id}"
        if isinstance(call.func, ast.Attribute) and tuple(ast.unparse(call.func).split(".")) in NO_METHOD:
            yield call.lineno, f"calls {ast.unparse(call.func)}"
        for word in call.keywords:
            told = (word.arg, getattr(word.value, "value", None))
            if told in {("shell", True), ("verify", False), ("autoescape", False), ("allow_pickle", True)}:
                yield call.lineno, f"{word.arg}={told[1]}"


@pytest.mark.parametrize("module", MODULES, ids=name_of)
def test_no_module_loads_code_from_data_or_starts_a_shell(module):
    found = [what for _, what in faults_of(module.read_text("utf-8"))]
    assert [what for what in found if what not in ALLOWED.get(name_of(module), set())] == []


@pytest.mark.parametrize(
    "line",
    ["import pickle", "from yaml import load", "eval('1')", "os.system('x')", "run('x', shell=True)", "np.load('x')"],
)
def test_the_search_finds_what_is_added(line):
    assert list(faults_of(line))


def test_D9_secrets_are_compared_in_a_time_that_says_nothing():
    """Within the doors, what was hashed or signed is never compared by `==`."""
    found = []
    for module in sorted((SOURCE / "faces").rglob("*.py")):
        for node in ast.walk(ast.parse(module.read_text("utf-8"))):
            if isinstance(node, ast.Compare) and any(isinstance(op, ast.Eq | ast.NotEq) for op in node.ops):
                words = {ast.unparse(side).rpartition(".")[2].lower() for side in (node.left, *node.comparators)}
                found += [f"{name_of(module)}:{node.lineno}"] if words & (SECRETS - {"key", "kept", "token"}) else []
    assert found == []


def test_F12_no_template_lets_markup_through():
    templates = sorted((SOURCE / "faces" / "page").rglob("*.html"))
    assert templates
    marks = ("|safe", "| safe", "autoescape false", "Markup(", "|tojson")
    assert [(file.name, mark) for file in templates for mark in marks if mark in file.read_text("utf-8")] == []
