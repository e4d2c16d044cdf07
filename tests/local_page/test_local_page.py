"""The local page over HTTP: access, refusals, and buttons that run the commands."""

import http.client
import io
import json
import re
import subprocess
import sys
from urllib.parse import quote, urlencode

import pytest
import tomllib
from browser import until
from builders import image_folder, whole_study
from PIL import Image
from served import HOST, answering, served

from hype.cli.new import JUDGED, templates_with_prompts
from hype.cli.open import first_of, link_of_running, note_of
from hype.errors import InputError
from hype.local_page.app import FIRST, STEPS, LocalPage
from hype.local_page.form import change_text
from hype.local_page.programs import CommandRequest, command_of
from hype.protocols.load import load_any
from hype.study.texts import LANGUAGES
from hype.web.wire import LARGEST_BODY

PATIENCE_S = 120


class Visitor:
    """A browser at the local page."""

    def __init__(self, local_page, port):
        self.local_page, self.port, self.cookie = local_page, port, ""

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(HOST, self.port, timeout=PATIENCE_S)
        given = {"Host": f"{HOST}:{self.port}", "Cookie": self.cookie}
        if method != "GET":
            given |= {"Origin": f"http://{HOST}:{self.port}", "Content-Type": "application/json"}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, {k: v for k, v in given.items() if v})
        reply = connection.getresponse()
        content = reply.read()
        connection.close()
        return reply, content

    def come(self, link=""):
        reply, _ = self.ask("GET", link or self.local_page.draw_link())
        self.cookie = reply.getheader("Set-Cookie", "").split(";")[0]
        return reply

    def json(self, path, body=None, method="POST", status=200, **query):
        path = f"{path}?{urlencode(query)}"
        given = json.dumps(body) if body is not None else None
        reply, content = self.ask(method if given else "GET", path, given)
        assert reply.status == status, content
        return json.loads(content)

    def form(self, at="study"):
        return self.json("/api/form", at=at)

    def set(self, *changes, status=200, seen=None, at="study"):
        sent = [(key.split("."), written) for key, written in changes]
        body = {"seen": seen or self.form(at)["seen"], "changes": sent}
        return self.json("/api/form", body, status=status, at=at)

    def put(self, path, content, status=200):
        query = f"/api/drop?path={quote(path, safe='')}"
        reply, said = self.ask("PUT", query, content, Content_Type="application/octet-stream")
        assert reply.status == status, said
        return said.decode()

    def ended(self, task, **query):
        def state():
            found = self.json("/api/programs", **query)[task]
            return found if found["code"] is not None else None

        return until(state)


@pytest.fixture
def local_page(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.delenv("DISPLAY", raising=False)
    folder = tmp_path / "folder"
    folder.mkdir()
    made = LocalPage(folder, 1)
    with answering(made.app()) as port:
        yield Visitor(made, port)


@pytest.fixture
def inside(local_page):
    assert local_page.come().status == 200
    return local_page


@pytest.fixture
def study(local_page):
    return whole_study(local_page.local_page._folder / "study", qualification={"enabled": False})


@pytest.mark.parametrize(
    "path", ["/", "/settings", "/watch", "/api/home", "/page/client/shared.js"]
)
def test_nobody_sees_anything_without_the_link(local_page, path):
    reply, content = local_page.ask("GET", path)
    assert (reply.status, b"hype open" in content) == (403, True)
    reply, _ = local_page.ask("GET", "/enter/another")
    assert reply.status == 403


def test_the_link_lets_one_browser_in_and_its_cookie_stays_with_it(local_page):
    link = local_page.local_page.draw_link("study")
    reply = local_page.come(link)
    cookie = reply.getheader("Set-Cookie").lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert local_page.ask("GET", "/")[0].status == 200
    assert "max-age" in cookie  # it remains when the browser is closed
    again, _ = local_page.ask("GET", link)
    assert (again.status, again.getheader("Location")) == (303, f"/{FIRST}?at=study")
    assert Visitor(local_page.local_page, local_page.port).come(link).status == 403


def test_hype_open_again_opens_the_page_that_runs(tmp_path, monkeypatch, hype):
    study = whole_study(tmp_path / "studies" / "study")
    folder = study.folder.parent
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    command = [sys.executable, "-m", "hype", "open", "--no-browser"]
    for _ in range(2):  # the second time after the page was killed
        first = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True)
        assert first.stdout.readline().startswith("Open http://127.0.0.1:")
        until(lambda: link_of_running(note_of(folder), ""))
        again = hype("open", study.folder, "--no-browser")
        assert (again.code, "is already running" in again.out) == (0, True)
        port, path = re.search(rf"http://{HOST}:(\d+)(/enter/.+)", again.out).groups()
        connection = http.client.HTTPConnection(HOST, int(port), timeout=PATIENCE_S)
        connection.request("GET", path.strip())
        assert f"/{FIRST}?at=study" in connection.getresponse().read().decode()
        connection.close()
        first.kill()
        first.communicate()


@pytest.mark.parametrize("step", ["home", *STEPS])
def test_pages_may_load_nothing_from_elsewhere_and_run_nothing_inline(inside, study, step):
    reply, content = inside.ask("GET", "/" if step == "home" else f"/{step}?at=study")
    assert reply.status == 200
    policy = reply.getheader("Content-Security-Policy")
    assert "default-src 'none'; script-src 'self'; style-src 'self'" in policy
    assert "unsafe" not in policy
    assert b"<script>" not in content
    assert b"style=" not in content


@pytest.mark.parametrize(
    ("method", "headers", "status"),
    [
        ("GET", {"Host": "rebound.example"}, 400),
        ("GET", {"Sec_Fetch_Site": "cross-site"}, 403),
        ("GET", {"Sec_Fetch_Site": "same-site"}, 403),  # another port of this machine
        ("POST", {"Origin": "http://rebound.example"}, 403),
        ("POST", {"Origin": f"http://{HOST}:1"}, 403),
        ("POST", {"Origin": ""}, 403),
        ("POST", {"Content_Type": "text/plain"}, 400),
        ("GET", {}, 200),
        ("POST", {}, 200),
    ],
)
def test_what_other_sites_send_is_not_taken(inside, method, headers, status):
    path, body = ("/", None) if method == "GET" else ("/api/again", "{}")
    assert inside.ask(method, path, body, **headers)[0].status == status


def test_too_much_is_not_read(inside):
    assert inside.ask("POST", "/api/new", "x" * (LARGEST_BODY + 1))[0].status == 413


@pytest.mark.parametrize("at", ["..", "../study", "/etc", "study/../..", "a\\b", "\x1b"])
def test_no_study_lies_outside_of_the_folder(inside, at):
    (inside.local_page._folder.parent / "study").mkdir()
    assert "the address: path" in inside.json("/api/form", status=422, at=at)["detail"]


def test_studies_below_the_folder_are_listed(inside, study):
    whole_study(inside.local_page._folder / "more" / "other", study={"name": "The other"})
    assert listed(inside) == [
        ("study", study.settings.study.name),
        ("more/other", "The other"),
    ]


def listed(visitor):
    """Return the folders and the names of the studies on the first page."""
    page = visitor.ask("GET", "/")[1].decode()
    return re.findall(rf'<a href="/{FIRST}\?at=([^"]+)">([^<]+)</a>', page)


def test_every_template_of_hype_new_is_offered(inside):
    page = inside.ask("GET", "/")[1].decode()
    offered = {value.split()[0] for value in re.findall(r'name="asked" value="([^"]+)"', page)}
    assert offered == {*JUDGED, *templates_with_prompts()}
    languages = re.findall(r'<option value="(\w\w)"', page.partition('id="language"')[2])
    assert languages == list(LANGUAGES)


def test_what_is_saved_is_in_the_file(inside, study):
    inside.set(
        ("time.staircase.start_ms", "400"),
        ("display.window_px", "800\n600"),
        ("stimuli.conditions", "good"),
    )
    tables = tomllib.loads(study.path.read_text(encoding="utf-8"))
    assert tables["time"]["staircase"]["start_ms"] == 400
    assert tables["display"]["window_px"] == [800, 600]
    assert tables["stimuli"]["conditions"] == ["good"]


def test_what_is_wrong_is_said_at_its_field_as_the_terminal_says_it(inside, study, hype):
    before = study.path.read_bytes()
    wrong = [("time.trials", "3"), ("pay.base", "much")]
    mistakes = inside.set(*wrong, status=422)["mistakes"]
    assert study.path.read_bytes() == before
    assert sorted(place for place, _ in mistakes) == [["pay", "base"], ["time", "trials"]]
    changes = [(("time", "trials"), "3"), (("pay", "base"), "much")]
    study.path.write_text(change_text(before.decode(), changes), encoding="utf-8")
    said = hype("check", study.path)
    assert said.code == 2
    assert all(text in said.err for _, text in mistakes)


def test_a_file_that_was_changed_meanwhile_is_left_alone(inside, study):
    seen = inside.form()["seen"]
    study.path.write_text(study.path.read_text() + "# mine\n", encoding="utf-8")
    said = inside.set(("time.blocks", "2"), seen=seen, status=422)
    assert "changed by another program" in said["detail"]
    assert study.path.read_text().endswith("# mine\n")


def test_a_wrong_file_is_shown_with_what_is_wrong(inside, study):
    study.path.write_text(study.path.read_text() + "\n[web]\nphones = 3\n", encoding="utf-8")
    ((place, said),) = inside.form()["mistakes"]
    assert (place, said) == (["web", "phones"], "web.phones = 3: must be true or false")
    study.path.write_text("[study", encoding="utf-8")
    assert "is not TOML" in inside.json("/api/form", status=422, at="study")["detail"]


def test_what_people_were_given_may_not_change_any_more(inside, study):
    with served(study) as open_tab:
        open_tab("p1", simulated=False).sit()
    assert inside.form()["people"] == 1
    before = study.path.read_bytes()
    ((_, said),) = inside.set(("time.blocks", "7"), status=422)["mistakes"]
    assert "time.blocks" in said
    assert "--new-version" in said
    assert study.path.read_bytes() == before
    inside.set(("study.evaluators", "77"))
    assert "evaluators = 77" in study.path.read_text()


def test_dropped_images_are_kept_where_they_belong_and_nowhere_else(inside):
    inside.put("0/a sneaker/01.png", b"x")
    room = inside.local_page.dropped.room
    assert (room / "0" / "a sneaker" / "01.png").read_bytes() == b"x"
    for path in ("../01.png", "0/../../01.png", "/01.png", "0/01.sh", "0\\01.png"):
        inside.put(path, b"x", status=422)
    assert [p.name for p in room.rglob("*") if p.is_file()] == ["01.png"]


def drop_folder(visitor, folder):
    """Upload a folder of images as the page does with a dropped one; return its name there."""
    for path in sorted(folder.iterdir()):
        visitor.put(f"{folder.name}-room/{folder.name}/{path.name}", path.read_bytes())
    return f"{folder.name}-room/{folder.name}"


def drop_sources(visitor, folder, reals=20, fakes=20):
    """Upload a folder of real images and one of a model's images."""
    real, fake = image_folder(folder / "a", reals), image_folder(folder / "b", fakes, first=100)
    return [
        {"name": "", "folder": drop_folder(visitor, real)},
        {"name": "gan", "folder": drop_folder(visitor, fake)},
    ]


def test_a_study_is_made_of_dropped_images(inside, tmp_path):
    sources = drop_sources(inside, tmp_path, 14, 14)
    images = {"options": {"--template": "qualification"}, "sources": sources}
    scanned = inside.json("/api/scan", images)
    assert (scanned["problem"], scanned["notes"]) == ("", ["All images become 64 x 64 px."])
    wanted = "hype new my-study --template=qualification --real=a --fake=gan=b"
    assert scanned["command"] == wanted
    assert [(one["images"], one["formats"], one["sizes"]) for one in scanned["folders"]] == [
        (14, ["14 PNG"], "64 x 64 px")
    ] * 2
    which = urlencode({"path": f"{sources[0]['folder']}/000.png"})
    reply, picture = inside.ask("GET", f"/api/picture?{which}")
    assert (reply.status, reply.getheader("Content-Type")) == (200, "image/png")
    assert Image.open(io.BytesIO(picture)).size == (64, 64)
    outside = which.replace("000", "../../../000")
    assert inside.ask("GET", f"/api/picture?{outside}")[0].status == 422
    assert inside.json("/api/new", {"name": "made", **images}) == {"at": "made"}
    state = inside.ended("new", at="made")
    assert (state["code"], state["begun"]) == (0, True), state
    made = inside.local_page._folder / "made"
    assert len(list((made / "stimuli" / "fake" / "gan").iterdir())) == 14
    assert [p.name for p in inside.local_page._folder.glob("[!.]*")] == ["made"]
    assert inside.form("made")["mistakes"] == []


def test_what_was_dropped_goes_away_with_the_page(tmp_path):
    made = LocalPage(tmp_path, 1)
    with answering(made.app()) as port:
        visitor = Visitor(made, port)
        visitor.come()
        visitor.put("0/1.png", b"x")
        assert sum(path.is_dir() for path in tmp_path.iterdir()) == 1
    assert list(tmp_path.iterdir()) == []


def test_images_that_hype_refuses_make_no_study(inside):
    sources = [{"name": "", "folder": "0/photos"}, {"name": "gan", "folder": "1/samples"}]
    for source in sources:
        inside.put(f"{source['folder']}/1.png", b"no image")
    inside.json("/api/new", {"name": "made", "sources": sources})
    problem = inside.json("/api/scan", {"sources": sources})["problem"]
    state = inside.ended("new", at="made")
    assert state["code"] == 2, state
    assert "photos/1.png: i" in problem  # the page finds the error before `hype new` does
    assert str(inside.local_page.dropped.room) not in problem
    last = [line.strip()[:15] for line in state["lines"][-2:]]
    assert last == ["photos/1.png: i", "samples/1.png: "]
    assert not (inside.local_page._folder / "made").exists()


def test_a_study_is_not_made_over_another(inside, study):
    said = inside.json("/api/new", {"name": "study", "sources": []}, status=422)
    assert "'study' exists already" in said["detail"]


def test_the_page_says_what_is_left_out_and_what_is_refused(inside, tmp_path):
    sources = drop_sources(inside, tmp_path, fakes=40)
    flashed = {"sources": sources, "options": {"--method": "time"}}
    scanned = inside.json("/api/scan", flashed)
    assert scanned["problem"].startswith("Flashed images: with 20 images of one kind no staircase")
    at_leisure = flashed | {"options": {"--method": "infinity"}}
    assert inside.json("/api/scan", at_leisure)["problem"] == ""
    small = image_folder(tmp_path / "small", 3, first=500, side_px=16)
    sources.append({"name": "small", "folder": drop_folder(inside, small)})
    assert "--skip-smaller" in inside.json("/api/scan", {"sources": sources})["problem"]
    sources[2]["folder"] = "none"
    scanned = inside.json("/api/scan", {"sources": sources})
    assert scanned["folders"][2]["problem"] == "there is no such folder"
    sources[2] = sources[1]
    assert "the same name" in inside.json("/api/scan", {"sources": sources})["problem"]


def test_what_is_wanted_of_a_new_study_stands_in_its_file(inside, tmp_path):
    sources = drop_sources(inside, tmp_path)
    wishes = {"method": "infinity", "language": "de", "web": "on", "size": "64"}
    options = {f"--{name}": value for name, value in wishes.items()}
    inside.json("/api/new", {"name": "made", "sources": sources, "options": options})
    assert inside.ended("new", at="made")["code"] == 0
    made = tomllib.loads((inside.local_page._folder / "made" / "study.toml").read_text("utf-8"))
    assert (made["study"]["methods"], made["study"]["language"]) == (["infinity"], "de")
    assert "web" in made


def test_a_code_of_the_link_is_drawn(inside):
    reply, content = inside.ask("GET", "/qr?link=http://192.0.2.1:8000/")
    assert (reply.status, reply.getheader("Content-Type")) == (200, "image/svg+xml")
    assert content.startswith(b"<?xml")


@pytest.mark.parametrize("name", ["", "../x", "a/b", ".hidden", "-x", "CON", "a\x1b"])
def test_a_study_is_named_as_folders_can_be(inside, name):
    new = {"name": name, "sources": []}
    inside.json("/api/new", new, status=422)
    assert list(inside.local_page._folder.iterdir()) == []


def test_buttons_are_commands_of_the_program(study):
    def words(task, **options):
        given = {f"--{name.replace('_', '-')}": value for name, value in options.items()}
        return command_of(CommandRequest(task=task, options=given), study.path, study.folder)

    at = str(study.path)
    assert words("check", no_display="on") == ["check", at, "--json", "--no-display"]
    assert words("simulate", evaluators="4") == ["simulate", at, "--fresh", "--evaluators=4"]
    assert words("session", evaluator="p01 ", pilot="on", allow_unsynced="on") == [
        *("run", at, "--evaluator=p01", "--pilot", "--allow-unsynced"),
    ]
    assert words("report", simulated="on") == [
        *("report", at, "--simulated", f"--out={study.folder / 'report-simulated.html'}"),
    ]
    assert words("power", difference="5") == ["power", at, "--json", "--difference=5"]
    assert words("serve", port="") == ["serve", at]
    assert words("serve", host=HOST, port="0") == ["serve", at, f"--host={HOST}", "--port=0"]
    assert words("backup") == ["backup", at]
    *export, out = words("export", format="psych-ds", simulated="on")
    assert export == ["export", at, "--format=psych-ds", "--simulated"]
    assert re.fullmatch(rf"--out={study.folder}/exports/[-0-9]+-psych-ds", out)
    for task, option in (("backup", "out"), ("forget", "out")):
        with pytest.raises(InputError, match=task):
            words(task, **{option: "elsewhere"})


@pytest.mark.parametrize("page", ["make", "check", "run", "results"])
def test_forms_have_options_that_commands_take(inside, study, page):
    content = inside.ask("GET", f"/{page}?at=study")[1].decode()
    for form in content.split('<form data-task="')[1:]:
        task = form.partition('"')[0]
        names = re.findall(r' name="(--[a-z-]+)"', form.partition("</form>")[0])
        if task != "new":  # the button "Make" starts it
            request = CommandRequest(task=task, options=dict.fromkeys(names, "x"))
            assert command_of(request, study.path, study.folder)


def test_a_session_that_cannot_begin_says_why(inside, study):
    inside.json("/api/programs", {"task": "session", "options": {"--evaluator": "p01"}}, at="study")
    state = inside.ended("session", at="study")
    assert state["code"] == 1
    assert any("display" in line for line in state["lines"]), state


@pytest.mark.long
def test_a_linked_study_is_opened_where_the_link_lies(inside, study, tmp_path):
    study.folder.rename(tmp_path / "elsewhere")
    study.folder.symlink_to(tmp_path / "elsewhere")
    assert [at for at, _ in listed(inside)] == ["study"]
    assert inside.form()["mistakes"] == []
    inside.json("/api/programs", {"task": "check", "options": {"--no-display": "on"}}, at="study")
    assert inside.ended("check", at="study")["code"] == 0
    assert first_of(load_any(study.folder)) == (study.folder.parent, "study")


def test_the_desks_folder_is_the_one_that_the_study_lies_in(study, tmp_path):
    assert first_of(study) == (study.folder.parent, "study")
