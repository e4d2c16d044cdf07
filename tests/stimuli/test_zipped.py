"""Zips from strangers: files that would fill the disk or be outside the folder are refused."""

import io
import stat
import zipfile
from contextlib import suppress

import pytest
from builders import noise
from hypothesis import given
from hypothesis import strategies as st

from hype.errors import FilesRefused, InputError
from hype.stimuli import zipped
from hype.stimuli.zipped import unpack


def png(number=1):
    content = io.BytesIO()
    noise(number).save(content, "PNG")
    return content.getvalue()


def zip_of(path, *files, how=zipfile.ZIP_DEFLATED):
    """Write a zip; a file's name may be a `ZipInfo`."""
    with zipfile.ZipFile(path, "w", how) as packed:
        for name, content in files:
            packed.writestr(name, content)
    return path


def unpacked(path, tmp_path):
    folder = tmp_path / "out"
    folder.mkdir(exist_ok=True)
    unpack(path, folder, lambda done, of: None)
    return {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}


def refused(path, tmp_path):
    """Return the problems by file, and check that nothing was written."""
    with pytest.raises(FilesRefused) as error:
        unpacked(path, tmp_path)
    assert list((tmp_path / "out").iterdir()) == []
    return {p.where.removeprefix(f"{path}/"): (p.problem, p.allowed) for p in error.value.problems}


def test_images_and_their_table_are_unpacked(tmp_path):
    files = [("a bag/1.png", png(1)), ("manifest.csv", "path\n"), ("a bag/.DS_Store", b"x")]
    path = zip_of(tmp_path / "z.zip", ("a bag/", b""), *files, ("__MACOSX/a bag/._1.png", b"x"))
    assert unpacked(path, tmp_path) == {"a bag/1.png", "manifest.csv"}
    assert (tmp_path / "out" / "a bag" / "1.png").read_bytes() == png(1)


@pytest.mark.parametrize(
    "name", ["../out.png", "/etc/x.png", "a/../../x.png", "a\\x.png", "a//x.png", "a\x07.png"]
)
def test_paths_that_lead_out_are_refused(name, tmp_path):
    (problem,) = refused(zip_of(tmp_path / "z.zip", (name, png())), tmp_path).values()
    assert problem[0] == "has a path that leads out of the zip, or that cannot be written"


def member(name, *, mode=0, flags=0):
    info = zipfile.ZipInfo(name)
    info.external_attr, info.flag_bits = mode << 16, flags
    return info


@pytest.mark.parametrize(
    ("info", "content", "problem"),
    [
        (
            member("link.png", mode=stat.S_IFLNK | 0o777),
            b"/etc/passwd",
            "is a link, or not a plain",
        ),
        (member("pipe.png", mode=stat.S_IFIFO), b"", "is a link, or not a plain file"),
        ("more.zip", b"PK", "is not an image"),
        ("run.exe", b"MZ", "is not an image"),
        ("README", b"text", "is not an image"),
        ("bomb.png", bytes(3_000_000), "times as large when it is unpacked"),
    ],
)
def test_what_is_no_image_is_named(info, content, problem, tmp_path):
    path = zip_of(tmp_path / "z.zip", ("good.png", png()))
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(info, content, zipfile.ZIP_DEFLATED)
    wrong = refused(path, tmp_path)
    assert wrong.keys() == {getattr(info, "filename", info)}
    ((said, allowed),) = wrong.values()
    assert problem in said
    assert allowed


def test_other_compressions_and_passwords_are_refused(tmp_path):
    path = zip_of(tmp_path / "z.zip", ("a.png", png()), how=zipfile.ZIP_BZIP2)
    assert refused(path, tmp_path)["a.png"][1] == "Deflate, or no compression"
    path = zip_of(tmp_path / "y.zip", ("a.png", png()))
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] |= zipped.ENCRYPTED
    path.write_bytes(content)
    assert refused(path, tmp_path)["a.png"] == ("is encrypted", "a zip without a password")


@pytest.mark.parametrize(
    ("limit", "most", "problem"),
    [
        ("MOST_PACKED_BYTES", 100, "bytes large"),
        ("MOST_FILES", 1, "contains 2 files"),
        ("MOST_UNPACKED_BYTES", 100, "bytes large when it is unpacked"),
    ],
)
def test_a_zip_that_is_too_large_is_refused_as_a_whole(limit, most, problem, tmp_path, monkeypatch):
    path = zip_of(tmp_path / "z.zip", ("a.png", png(1)), ("b.png", png(2)))
    monkeypatch.setattr(zipped, limit, most)
    with pytest.raises(InputError, match=problem):
        unpacked(path, tmp_path)
    assert list((tmp_path / "out").iterdir()) == []


def test_a_zip_that_would_fill_the_disk_is_refused(tmp_path, monkeypatch):
    usage = type("Usage", (), {"free": 500})
    monkeypatch.setattr(zipped.shutil, "disk_usage", lambda folder: usage)
    with pytest.raises(InputError, match="bytes temporarily, but only 500 are free here"):
        unpacked(zip_of(tmp_path / "z.zip", ("a.png", png())), tmp_path)


def test_files_that_overlap_are_refused(tmp_path):
    """A list that names one packed file many times can turn a small zip into a large bomb."""
    path = zip_of(tmp_path / "z.zip", *((f"{n:03}.png", png(n)) for n in range(9)))
    content = bytearray(path.read_bytes())
    place = content.index(b"PK\x01\x02")
    while (place := content.find(b"PK\x01\x02", place)) >= 0:
        content[place + 20 : place + 24] = (10_000).to_bytes(4, "little")
        place += 4
    path.write_bytes(content)
    with pytest.raises(InputError, match=": files overlap"):
        unpacked(path, tmp_path)


def test_the_list_of_a_zip_is_not_read_into_memory_whatever_it_says(tmp_path, monkeypatch):
    path = zip_of(tmp_path / "z.zip", *((f"{n:03}.png", png(n)) for n in range(9)))
    monkeypatch.setattr(zipped, "LARGEST_LIST_BYTES", 400)
    with pytest.raises(InputError, match="its list of files has more than 400 bytes"):
        unpacked(path, tmp_path)


def test_a_file_that_is_damaged_is_named(tmp_path):
    path = zip_of(tmp_path / "z.zip", ("a.png", png(1)), ("b.png", png(2)))
    content = bytearray(path.read_bytes())
    content[content.index(b"b.png") + 40] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(FilesRefused, match=r"z\.zip/b\.png: cannot be unpacked: "):
        unpacked(path, tmp_path)


def test_what_is_no_zip_is_refused(tmp_path):
    path = tmp_path / "z.zip"
    for content in (b"", b"no zip", png()):
        path.write_bytes(content)
        with pytest.raises(InputError, match="is not a zip file, or is incomplete"):
            unpacked(path, tmp_path)
    path.unlink()
    with pytest.raises(InputError, match="there is no such file"):
        unpacked(path, tmp_path)


@given(st.data())
def test_a_zip_of_whatever_bytes_is_unpacked_or_refused(tmp_path_factory, data):
    tmp_path = tmp_path_factory.mktemp("zip")
    path = zip_of(tmp_path / "z.zip", ("a.png", png(1)), ("b/c.png", png(2)))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    path.write_bytes(content[: data.draw(st.integers(0, len(content)))])
    with suppress(InputError):
        unpacked(path, tmp_path)
    assert all(p.is_relative_to(tmp_path) for p in tmp_path.rglob("*"))
