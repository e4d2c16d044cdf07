"""The texts of reports: cited works are listed, and sentences name existing parts."""

import ast
import inspect
import re
import sys
import typing
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType, UnionType

import jinja2
import pytest
from jinja2 import nodes

import hype
from hype.protocols.registry import PROTOCOLS
from hype.report.methods import (
    environment_of,
    list_works,
    paragraphs_of,
    reference,
    works_in,
)

ROOT = Path(hype.__file__).parent
FOLDERS = {protocol.name: ROOT / "protocols" / protocol.name for protocol in PROTOCOLS}
TEMPLATES = [(name, f"{which}.txt") for name in FOLDERS for which in ("design", "statistics")]
SHARED = works_in(ROOT / "report")
OWN = {name: works_in(folder) for name, folder in FOLDERS.items()}
OF_ENGINE = {"paragraph", "caller", "loop"}


def trees_of(protocol: str, template: str) -> list[nodes.Template]:
    """Parse a template and all templates that it extends, includes or imports."""
    environment = environment_of(FOLDERS[protocol])
    trees, names = [], [f"{protocol}/{template}"]
    for name in names:
        source, *_ = environment.loader.get_source(environment, name)
        tree = environment.parse(source, name)
        others = tree.find_all((nodes.Extends, nodes.FromImport, nodes.Include))
        names += [each.template.value for each in others]
        trees.append(tree)
    return trees


def names_in(trees: list[nodes.Template]) -> set[str]:
    """Return the names that templates use and do not define themselves."""
    used, made = set(), set(OF_ENGINE)
    for tree in trees:
        names = list(tree.find_all(nodes.Name))
        used |= {each.name for each in names if each.ctx == "load"} - {
            each.name for each in names if each.ctx != "load"
        }
        made |= {each.target.name for each in tree.find_all(nodes.Assign) if each.target in names}
        made |= {each.target.name for each in tree.find_all(nodes.AssignBlock)}
        made |= {each.name for each in tree.find_all(nodes.Macro)}
    return used - made


def words_of(protocol: str) -> ModuleType:
    """Load the module that fills a protocol's templates: its ``wording.py`` or its report."""
    own = (FOLDERS[protocol] / "wording.py").is_file()
    return import_module(f"hype.protocols.{protocol}.{'wording' if own else 'report'}")


def names_given(protocol: str, template: str) -> set[str]:
    """Return the names that a protocol gives to a template."""
    (call,) = (
        node
        for node in ast.walk(ast.parse(inspect.getsource(words_of(protocol))))
        if isinstance(node, ast.Call) and f"'{template}'" in ast.dump(node)
        if getattr(node.func, "id", "") == "paragraphs_of"
    )
    return {keyword.arg for keyword in call.keywords}


@cache
def cited_by(protocol: str) -> set[str]:
    names = (names_in(trees_of(name, which)) for name, which in TEMPLATES if name == protocol)
    return set().union(*names) & (set(SHARED) | set(OWN[protocol]))


@pytest.mark.parametrize(("protocol", "template"), TEMPLATES)
def test_templates_name_what_they_are_given_and_all_of_it(protocol, template):
    named = names_in(trees_of(protocol, template)) - set(SHARED) - set(OWN[protocol])

    assert named == names_given(protocol, template)


@pytest.mark.parametrize("protocol", OWN)
def test_every_work_of_a_protocol_is_cited_and_there_once(protocol):
    assert OWN[protocol]
    assert set(OWN[protocol]) <= cited_by(protocol)
    assert not set(OWN[protocol]) & set(SHARED)


def test_every_work_of_all_reports_is_cited_in_those_of_several_protocols():
    by_group = (ROOT / "report" / "templates" / "groups.txt").read_text(encoding="utf-8")
    for key in SHARED:
        in_all = f"{{{{ {key} }}}}" in by_group
        assert in_all or sum(key in cited_by(protocol) for protocol in OWN) > 1, key


@pytest.mark.parametrize("folder", [ROOT / "report", *FOLDERS.values()], ids=lambda path: path.name)
def test_works_are_sound(folder):
    works = works_in(folder)

    assert list(works) == sorted(works)
    for key, work in works.items():
        assert isinstance(work.year, int)
        assert re.fullmatch(rf"[A-Z][A-Za-z]+{work.year}", key)
        assert work.authors.startswith(work.short.split(" ")[0])
        assert all((work.title, work.venue))
        assert re.fullmatch(r"(10\.\d{4,}/\S+)?", work.doi)


def test_no_work_is_there_twice():
    works = [*SHARED.values(), *(work for own in OWN.values() for work in own.values())]
    dois = [work.doi for work in works if work.doi]

    assert len(set(dois)) == len(dois)
    assert len({work.key for work in works}) == len(works)


@pytest.mark.parametrize("entry", ['authors = "Nobody"', 'pages = "1"'])
def test_a_work_with_too_little_or_too_much_is_refused(tmp_path, entry):
    (tmp_path / "works.toml").write_text(f"[Nobody1900]\n{entry}\n", encoding="utf-8")
    with pytest.raises(TypeError, match="Work"):
        works_in(tmp_path)


def test_references_are_in_order_and_once():
    works = {**SHARED, **OWN["hype"]}
    found = list_works([works[key] for key in ("Zhou2019", "Watson2017", "Efron1979", "Zhou2019")])

    assert [work.year for work in found] == [1979, 2017, 2019]
    assert reference(works["Efron1979"]) == (
        "Efron, B. (1979). Bootstrap methods: another look at the jackknife. "
        "<i>The Annals of Statistics</i> 7, 1–26. doi:10.1214/aos/1176344552"
    )


def of_text(folder: Path, text: str, **names: object):
    """Write a template and return its paragraphs."""
    (folder / "own.txt").write_text(text, encoding="utf-8")
    return paragraphs_of(folder / "own.txt", **names)


def test_a_paragraph_has_its_sentences_and_the_works_that_they_cite(tmp_path):
    text = """
        {% call paragraph("one") %}
            By ({{ Holm1979 }}), {{ draws | thousands }}
            {%- if wilson %}, and ({{ Wilson1927 }}){% endif %}.

            {% if wilson %}
                Asked: “{{ question }}”
            {% endif %}
            After {{ Holm1979 | textual }}, {{ Spearman1904 | textual("C. Spearman") }}.
        {% endcall %}
        {% call paragraph("nothing") %}
            {% if not draws %}Never.{% endif %}
        {% endcall %}
    """
    (said,) = of_text(tmp_path, text, draws=2000, wilson=True, question="Which  of\nthem?")

    assert said.topic == "one"
    assert said.text == (
        "By (Holm, 1979), 2,000, and (Wilson, 1927). Asked: “Which  of\nthem?” "
        "After Holm (1979), C. Spearman (1904)."
    )
    assert [work.key for work in said.works] == ["Holm1979", "Wilson1927", "Spearman1904"]
    (less,) = of_text(tmp_path, text, draws=2000, wilson=False, question="")
    assert [work.key for work in less.works] == ["Holm1979", "Spearman1904"]


def test_a_work_that_is_not_there_is_no_empty_citation(tmp_path):
    with pytest.raises(jinja2.UndefinedError, match="Nobody1900"):
        of_text(tmp_path, '{% call paragraph("one") %}({{ Nobody1900 }}).{% endcall %}')


@cache
def imported_in(module: str) -> dict[str, str]:
    """Return the names that a module imports, also for types only, with their modules."""
    nodes_of = ast.walk(ast.parse(inspect.getsource(sys.modules[module])))
    froms = (node for node in nodes_of if isinstance(node, ast.ImportFrom))
    return {each.name: node.module for node in froms for each in node.names}


def evaluated(annotation: str, where: object) -> object:
    """Return the type of an annotation, also if the module imports it only for type checks."""
    froms = imported_in(where.__module__)
    names = set(re.findall(r"\w+", annotation)) & set(froms)
    known = {name: getattr(import_module(froms[name]), name) for name in names}
    found = eval(annotation, {**vars(sys.modules[where.__module__]), **known})  # noqa: S307
    return found.__origin__ if hasattr(found, "__metadata__") else found  # of Annotated


class Types:
    """The types of a template's names, as far as annotations contain them."""

    def __init__(self, function: Callable[..., object]) -> None:
        annotations = function.__annotations__
        self.known = {name: evaluated(text, function) for name, text in annotations.items()}

    def of(self, node: object) -> object:
        match node:
            case nodes.Name(name=name):
                return self.known.get(name)
            case nodes.Getattr(node=owner, attr=attr):
                return self.attribute(self.of(owner), attr)
            case nodes.Getitem(node=owner):
                return next(iter(typing.get_args(self.of(owner))), None)
        return None

    def attribute(self, owner: object, attr: str) -> object:
        options = typing.get_args(owner) if isinstance(owner, UnionType) else [owner]
        classes = [each for each in options if getattr(each, "__module__", "").startswith("hype.")]
        for cls in (base for each in classes for base in each.__mro__):
            if attr in vars(cls).get("__annotations__", {}):
                return evaluated(str(cls.__annotations__[attr]), cls)
            if isinstance(vars(cls).get(attr), property):
                getter = vars(cls)[attr].fget
                return evaluated(getter.__annotations__["return"], getter)
        assert not classes, f"{classes} have no {attr}"
        return None

    def read(self, tree: nodes.Template) -> None:
        """Note the types of names that a template sets, and check each attribute that it uses."""
        for node in tree.find_all((nodes.Assign, nodes.For, nodes.Getattr)):
            match node:
                case nodes.For(target=nodes.Name(name=name), iter=members):
                    self.known[name] = self.of(nodes.Getitem(members, None, "load"))
                case nodes.Assign(target=nodes.Name(name=name), node=value):
                    self.known[name] = self.of(value)
                case nodes.Getattr():
                    self.of(node)


@pytest.mark.parametrize(("protocol", "template"), TEMPLATES)
def test_templates_name_only_attributes_that_there_are(protocol, template):
    """Otherwise an error in a rare sentence would appear only when somebody writes a report."""
    types = Types(getattr(words_of(protocol), f"{template.removesuffix('.txt')}_in_words"))
    assert types.known.keys() & {"settings", "score", "scores"}

    for tree in trees_of(protocol, template):
        types.read(tree)
