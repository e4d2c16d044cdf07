"""Changes of one line, each of which breaks a promise, with the tests that must notice it.

``make mutants`` makes them one by one in a copy of the tree (`try_them.py`). A change that leaves
what people are promised as it was does not belong here, and neither does one that keeps the program
from starting.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Mutant:
    """One change.

    Attributes
    ----------
    broken
        What is promised no longer.
    old, new
        A text that stands once in the file, and what takes its place.
    tests
        Files, or names of tests in them, one of which must fail.
    """

    broken: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...]


def in_file(file: str, tests: str, *changes: tuple[str, str, str]) -> Iterator[Mutant]:
    """Give the mutants of one file that the same tests must notice; each ``broken, old, new``."""
    for broken, old, new in changes:
        yield Mutant(broken, file, old, new, tuple(tests.split()))


SESSIONS: Final = (
    *in_file(
        "hype/study/quotas.py",
        "tests/study/test_quotas.py",
        (
            "a group takes no more people than its quota",
            "[group] < quota[group]",
            "[group] <= quota[group]",
        ),
        (
            "no number is in two groups",
            "if start <= end:",
            "if start < end:",
        ),
    ),
    *in_file(
        "hype/session/quotas.py",
        "tests/session/test_full_groups.py",
        (
            "who was turned away is of no group",
            "if status not in TURNED_AWAY",
            "if status",
        ),
        (
            "stations share each group out among them",
            "simulated or not quotas or not (store.central and store.stations)",
            "store",
        ),
    ),
    *in_file(
        "hype/session/loop.py",
        "tests/session/test_full_groups.py",
        (
            "who is of a full group is not let in when their page is loaded again",
            "pages[0] is Page.GROUP_FULL",
            "pages[0] is Page.DECLINED",
        ),
    ),
    *in_file(
        "hype/study/demographics.py",
        "tests/study/test_demographics.py",
        (
            "a number that the study does not take is no answer",
            "<= value <=",
            "<= value or value <=",
        ),
        (
            "an answer in somebody's own words is no longer than the study says",
            "len(text) <= self.longest",
            "len(text) <= MOST_CHARACTERS",
        ),
        (
            "studies that ask by options alone keep their checksums",
            'frozenset(("kind", "lowest"',
            'frozenset(("lowest"',
        ),
    ),
    *in_file(
        "hype/web/sitting.py",
        "tests/web/test_about_you_pages.py",
        (
            "the server takes no answer that the study does not",
            "(kept := screen.asked.taken(answer))",
            "(kept := answer)",
        ),
    ),
    *in_file(
        "hype/check/machine.py",
        "tests/cli/test_doctor.py",
        (
            "what cannot be loaded is not said to work",
            'return f"{name} cannot be loaded ({error})"',
            'return ""',
        ),
    ),
    *in_file(
        "hype/cli/new.py",
        "tests/cli/test_new_questions.py",
        (
            "what is answered is in the study file",
            "f'language = \"{wanted.language}\"'",
            "'language = \"en\"'",
        ),
    ),
    *in_file(
        "hype/session/versions.py",
        "tests/session/test_versions_given.py",
        (
            "a newcomer is not given another study without a word",
            "if last is None or new_version or",
            "if last is None or True or",
        ),
        (
            "who began earlier goes on under what they began",
            "return today if is_as_today else theirs",
            "return today",
        ),
    ),
    *in_file(
        "hype/session/versions.py",
        "tests/test_addition.py",
        (
            "who began before a model joined goes on without it",
            "theirs.added.keys() == today.added.keys() and not differences(",
            "not differences(",
        ),
    ),
    *in_file(
        "hype/addition.py",
        "tests/test_addition.py",
        (
            "what a kill left is told from what stands",
            "(staged / name / UNFINISHED).touch()",
            "(staged / name).exists()",
        ),
        (
            "nothing is seen of a model before it is whole",
            "whole = staged / file.name",
            "whole = study.folder / f'.{file.name}'",
        ),
        (
            "no real picture is added as a fake",
            "elif made.pixels in reals:",
            "elif made.sha256 in reals:",
        ),
        (
            "no image is made larger",
            "if image.width < width or image.height < height:",
            "if not image.width:",
        ),
    ),
    *in_file(
        "hype/protocols/load.py",
        "tests/web/test_joining_while_served.py",
        (
            "a server takes up a model that joins",
            "return self._study.with_added(read.added)",
            "return self._study",
        ),
        (
            "a server follows no other change of the study",
            "if read.with_added({}).checksum() != self._study.with_added({}).checksum():",
            "if read.path != self._study.path:",
        ),
    ),
    *in_file(
        "hype/stimuli/zipped.py",
        "tests/stimuli/test_zipped.py",
        (
            "nothing of a zip is written elsewhere",
            "check_relative(where, member.filename)",
            "member.filename.encode()",
        ),
        (
            "a zip bomb is not unpacked",
            "elif member.file_size > max(SMALL_BYTES, LIMITS.ratio * member.compress_size):",
            "elif member.file_size < 0:",
        ),
    ),
    *in_file(
        "hype/web/owners.py",
        "tests/web/test_owners.py",
        (
            "owners of models can be let in by their own token alone",
            'self._access = Access(key, "add")',
            'self._access = Access(key, "watch")',
        ),
        (
            "an addition that was cut off is not said to go on",
            'state |= {"is_over": True,',
            'state |= {"is_over": False,',
        ),
    ),
    *in_file(
        "hype/workers.py",
        "tests/test_workers.py",
        (
            "workers end with the program that was killed",
            "os._exit(1)  # the executor itself waits for work without end",
            "pass",
        ),
    ),
    *in_file(
        "hype/protocols/hype/counterbalancing.py",
        "tests/test_addition.py",
        (
            "a model that joins leaves places their numbers",
            "return (*cells, *(cell for name in joined for cell in design((name,), methods)))",
            "return design(conditions, methods)[::-1]",
        ),
    ),
    *in_file(
        "hype/statistics/separation.py",
        "tests/statistics/test_separation.py",
        (
            "no part of an arena's error rate is spent twice",
            "left -= sum(look.level for look in own)",
            "left = alpha",
        ),
        (
            "what an arena says of its pairs errs for all together",
            "levels = look.level, look.level / math.comb(votes.conditions, 2)",
            "levels = look.level, look.level",
        ),
        (
            "newcomers come first until they are level",
            "first = pairs_of_behind(scores, joined)",
            "first = pairs_of_behind(scores, ())",
        ),
        (
            "the best of those before is not the best of all",
            "return self.reached and not self.look.without",
            "return self.reached",
        ),
    ),
    *in_file(
        "hype/session/records.py",
        "tests/session/test_versions_given.py",
        (
            "versions of a study are never read together",
            "if number is None and len(versions) > 1:",
            "if False:",
        ),
    ),
    *in_file(
        "hype/session/registers.py",
        "tests/session/test_versions_given.py",
        (
            "each version has places of its own",
            "connection, simulated=simulated, turned_away=turned_away, given=given",
            "connection, simulated=simulated, turned_away=turned_away, given=None",
        ),
    ),
    *in_file(
        "hype/station/fonts.py",
        "tests/station/test_fonts.py tests/check/test_check_texts.py",
        (
            "what no font has is said before somebody sits down",
            "return face if face.has(character) else None",
            "return face",
        ),
    ),
    *in_file(
        "hype/station/typesetting.py",
        "tests/station/test_writing.py",
        (
            "Arabic runs from right to left",
            'base_dir="R" if from_right else "L"',
            'base_dir="L"',
        ),
    ),
    *in_file(
        "hype/protocols/hype/staircase.py",
        "tests/protocols/hype/test_staircase.py",
        (
            "a wrong answer makes the next exposure longer",
            "level(exposure_ms + self.up_ms)",
            "level(exposure_ms - self.up_ms)",
        ),
        (
            "no exposure is below the floor",
            "max(level(exposure_ms - self.down_ms), self.min_ms)",
            "level(exposure_ms - self.down_ms)",
        ),
        (
            "no exposure is above the ceiling",
            "min(level(exposure_ms + self.up_ms), self.max_ms)",
            "level(exposure_ms + self.up_ms)",
        ),
        (
            "so many correct answers in a row, and no more, make it shorter",
            "if streak < self.correct_to_descend:",
            "if streak <= self.correct_to_descend:",
        ),
        (
            "a descent begins a new row of correct answers",
            "StaircaseState(self.shorter(state.exposure_ms), 0)",
            "StaircaseState(self.shorter(state.exposure_ms), 1)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/quest_plus.py",
        "tests/protocols/hype/test_quest_plus.py",
        (
            "QUEST+ takes the exposure whose answer is expected to tell most",
            "return np.asarray(sum(map(unnormalised_entropy, (right, wrong))))",
            "return np.asarray(unnormalised_entropy(right))",
        ),
        (
            "a wrong answer is held against short thresholds",
            "state.posterior * (accuracies if correct else 1 - accuracies)",
            "state.posterior * accuracies",
        ),
        (
            "exposures are whole frames",
            "round(number * frame_ms, 6) for number in sorted(frames)",
            "round(number * 16.0, 6) for number in sorted(frames)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/condition_scores.py",
        "tests/protocols/hype/test_quest_plus.py",
        (
            "a block of QUEST+ does not score its most frequent exposure",
            "return block_estimates(rows.scored, staircase_bounds(rows.shown))",
            "return block_modes(rows.scored)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/block_scores.py",
        "tests/protocols/hype/test_settle_points.py",
        (
            "where a staircase settles knows how many correct answers a descent takes",
            "np.maximum(np.append(-1, ended[:-1]), before)",
            "before",
        ),
    ),
    *in_file(
        "hype/statistics/medians.py",
        "tests/statistics/test_medians.py",
        (
            "the interval of few people is Student's",
            "float(stdtrit(len(logs) - 1, (1 + confidence) / 2))",
            "1.96",
        ),
    ),
    *in_file(
        "hype/protocols/hype/settling.py",
        "tests/protocols/hype/test_settling.py",
        (
            "a score far from the truth does not tell it",
            "near = np.abs(np.log2(score_ms / true_ms)) <= HALF",
            "near = np.isfinite(score_ms)",
        ),
        (
            "a score that is the same for everybody measures nothing",
            "apart = above - below > np.sqrt(sum(squares) / 2)",
            "apart = np.isfinite(above - below)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/settling.py",
        "tests/protocols/hype/test_check_settling.py",
        (
            "a study whose staircase cannot settle is not ready",
            "if accepted or (played and played.settles)",
            "if accepted or played",
        ),
    ),
    *in_file(
        "hype/session/timing.py",
        "tests/session/test_frames.py",
        (
            "nothing is shown for no frame at all",
            "max(1, round(duration_ms * refresh_hz / 1000))",
            "max(0, round(duration_ms * refresh_hz / 1000))",
        ),
        (
            "of frames the nearest number is taken",
            "round(duration_ms * refresh_hz / 1000)",
            "int(duration_ms * refresh_hz / 1000)",
        ),
    ),
    *in_file(
        "hype/session/timing.py",
        "tests/session/test_timing.py",
        (
            "the verdict is on the worst that the flips allow",
            "1000 * (off.earliest_s - on.latest_s)",
            "1000 * (off.at_s - on.at_s)",
        ),
        (
            "what is off by as much as is tolerated is still ok",
            "if worst_ms > allowed_ms",
            "if worst_ms >= allowed_ms",
        ),
        (
            "masks count as the image does",
            "for picture in (image, *masks)",
            "for picture in (image,)",
        ),
    ),
    *in_file(
        "hype/session/facts.py",
        "tests/session/test_clocks.py",
        (
            "a sleep is not taken for a clock that was set",
            "(after.wall_s - before.wall_s) - passed_s",
            "(after.wall_s - before.wall_s) - awake_s",
        ),
    ),
    *in_file(
        "hype/protocols/hype/trial.py",
        "tests/protocols/hype/test_plan.py",
        (
            "a plan's checksum says which images it shows",
            '"".join(stimulus.sha256 for stimulus in block.stimuli)',
            '"".join(stimulus.source for stimulus in block.stimuli)',
        ),
        (
            "a plan's checksum says which masks it shows",
            "repr((*rule, block.masks, block.mask_ms))",
            "repr((*rule, block.mask_ms))",
        ),
    ),
    *in_file(
        "hype/session/steps.py",
        "tests/protocols/hype/test_plan.py tests/protocols/hype/test_script.py "
        "tests/protocols/hype/test_progress.py",
        (
            "a session is paid for itself, and then for what was correct",
            "round(self.base + self.per_correct * correct, 2)",
            "round(self.per_correct * correct, 2)",
        ),
    ),
    *in_file(
        "hype/session/loop.py",
        "tests/session/test_loop.py tests/protocols/hype/test_repeats.py",
        (
            "a session whose plan changed does not go on",
            "if isinstance(step, Ending) or not past.belongs_to(step):",
            "if isinstance(step, Ending):",
        ),
        (
            "a session goes on as if it had never stopped, spoiled trials too",
            "Outcome(past.response, past.spoiled)",
            "Outcome(past.response)",
        ),
        (
            "feedback that was seen is not shown again",
            "return bool(answered)",
            "return False",
        ),
    ),
    *in_file(
        "hype/protocols/hype/script.py",
        "tests/protocols/hype/test_caught.py tests/protocols/hype/test_hasty.py",
        (
            "the staircase does not hear of catch trials",
            "if rule and state and not caught:",
            "if rule and state:",
        ),
        (
            "only an answer below the shortest time costs a wait",
            "if outcome.response.rt_ms < block.hasty_ms:",
            "if outcome.response.rt_ms <= block.hasty_ms:",
        ),
    ),
    *in_file(
        "hype/protocols/hype/exclusion.py",
        "tests/protocols/hype/test_carelessness.py",
        (
            "who keeps to a rule's limit does not break it",
            "number / of > most:",
            "number / of >= most:",
        ),
    ),
    *in_file(
        "hype/protocols/hype/selection.py",
        "tests/cli/test_careless.py",
        (
            "scores without careless evaluators are without them",
            "rows.only(~are_careless(rows.shown))",
            "rows",
        ),
    ),
    *in_file(
        "hype/protocols/hype/script.py",
        "tests/protocols/hype/test_script.py tests/protocols/hype/test_repeats.py",
        (
            "who tells just enough images has qualified",
            "self.correct_real >= rate * self.shown_real - slack",
            "self.correct_real > rate * self.shown_real + slack",
        ),
        (
            "who tells too few of the fakes has not qualified",
            "self.correct_fake >= rate * self.shown_fake - slack",
            "self.correct_real >= rate * self.shown_real - slack",
        ),
        (
            "practice is not paid",
            "if block.scored:  # the evaluator's work is paid whatever the screen did",
            "if True:",
        ),
        (
            "a spoiled trial does not move the staircase",
            "verdict_page = Page.AGAIN  # and not the truth, since the image comes back",
            "told, state = Page.AGAIN, rule and state and rule.step(state, correct)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/settings.py",
        "tests/protocols/hype/test_settings.py tests/protocols/test_load.py "
        "tests/study/test_draws.py",
        (
            "the paper's share qualifies, unless a study says otherwise",
            "pass_rate: Rate = 0.65",
            "pass_rate: Rate = 0.55",
        ),
    ),
    *in_file(
        "hype/study/assignment.py",
        "tests/study/test_assignment.py",
        (
            "the least filled place is given next",
            "return min(shuffled, key=lambda cell: filled.get(cell, 0))",
            "return max(shuffled, key=lambda cell: filled.get(cell, 0))",
        ),
        (
            "both meanings of the keys are given equally often",
            "(first + arrived.get(cell, 0)) % 2",
            "(first + filled.get(cell, 0)) % 2",
        ),
    ),
    *in_file(
        "hype/protocols/hype/counterbalancing.py",
        "tests/protocols/hype/test_counterbalancing.py "
        "tests/protocols/hype/test_within_subjects.py",
        (
            "each condition comes in each place equally often",
            "row = tuple((first + offset) % conditions for offset in offsets)",
            "row = tuple(sorted((first + offset) % conditions for offset in offsets))",
        ),
        (
            "two conditions share people as often as any other two",
            "if best is None or (uneven, drawn) < best:",
            "if best is None:",
        ),
        (
            "whoever replaces somebody has their meaning of the keys",
            "(square + fewest) % 2",
            "len(free) % 2",
        ),
    ),
    *in_file(
        "hype/protocols/hype/sampling.py",
        "tests/protocols/hype/test_sampling.py",
        (
            "what is evaluated does not supply the test of who evaluates it",
            "return tuple(name for name in began if name not in served)",
            "return began",
        ),
        (
            "a picture of both sets is shown once",
            "shown = others.pictures | {",
            "shown = set() | {",
        ),
    ),
    *in_file(
        "hype/study/table.py",
        "tests/session/test_versions_given.py",
        (
            "what an earlier program did is read in its records",
            "return {**cls.before, **data}",
            "return data",
        ),
    ),
    *in_file(
        "hype/session/live.py",
        "tests/check/test_check_texts.py",
        (
            "nobody is seated before empty boxes",
            "if not seating.simulated:",
            "if seating.simulated:",
        ),
    ),
    *in_file(
        "hype/protocols/hype/qualification.py",
        "tests/protocols/hype/test_qualified.py",
        (
            "a qualification expires",
            "if when >= since",
            "if when",
        ),
    ),
    *in_file(
        "hype/session/enrol.py",
        "tests/session/test_enrol.py",
        (
            "nobody goes on by a plan that changed",
            "if plan.checksum() == evaluator.plan:",
            "if True:",
        ),
        (
            "nobody takes part twice",
            'if evaluator.status != "active":',
            'if evaluator.status == "declined":',
        ),
    ),
    *in_file(
        "hype/session/enrol.py",
        "tests/faults/test_changed_meanwhile.py::test_a_mask_that_changed",
        (
            "nobody goes on with masks that were exchanged",
            "    if enrolled.mask_files:\n",
            "    if False:\n",
        ),
    ),
    *in_file(
        "hype/status/progress.py",
        "tests/status/test_status_command.py",
        (
            "a code that could be a formula is no formula in the table of pay",
            "guarded(standing.evaluator)",
            "standing.evaluator",
        ),
    ),
)

RECORD: Final = (
    *in_file(
        "hype/store/sqlite_files.py",
        "tests/store/test_record.py tests/store/test_opening.py",
        (
            "what was committed outlives a power cut",
            'use_wal(connection)\n        connection.execute("PRAGMA synchronous = FULL")',
            'use_wal(connection)\n        connection.execute("PRAGMA synchronous = NORMAL")',
        ),
        (
            "no row belongs to nobody",
            "PRAGMA foreign_keys = ON",
            "PRAGMA foreign_keys = OFF",
        ),
        (
            "a record is its owner's alone",
            "os.close(open_file(path, os.O_RDWR | os.O_CREAT))",
            "path.touch(0o644)",
        ),
        (
            "stations wait for each other, and neither fails half way",
            "BEGIN IMMEDIATE",
            "BEGIN DEFERRED",
        ),
    ),
    *in_file(
        "hype/store/record.py",
        "tests/store/test_opening.py tests/store/test_in_place.py",
        (
            "no answer goes to a file that nobody would find",
            'if now[""] != opened.files[""]:',
            "if False:",
        ),
    ),
    *in_file(
        "hype/store/recorder.py",
        "tests/store/test_record.py tests/session/test_endings.py",
        (
            "a trial that was cut off is marked",
            "self._set_showing(connection, trial_text(step.name))",
            "self._set_showing(connection, None)",
        ),
    ),
    *in_file(
        "hype/store/seats.py",
        "tests/store/test_seats.py",
        (
            "an evaluator sits at one program only",
            "lock(file)\n            if",
            "lock(file, shared=True)\n            if",
        ),
        (
            "a seat whose file went meanwhile is taken anew",
            "if is_still_there(folder, seat, file):",
            "if True:",
        ),
    ),
    *in_file(
        "hype/system.py",
        "tests/store/test_seats.py",
        (
            "seats whose folder is a link are nowhere else",
            "os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK",
            "os.O_CLOEXEC | os.O_NONBLOCK",
        ),
    ),
    *in_file(
        "hype/store/backup.py",
        "tests/store/test_backup.py",
        (
            "a backup of a damaged record is refused",
            "        require_sound(copy, record)\n",
            "",
        ),
        (
            "a backup takes the place of nothing",
            "    except FileExistsError:\n        return False\n",
            "    except FileExistsError:\n        temporary.replace(path)\n",
        ),
    ),
    *in_file(
        "hype/store/update.py",
        "tests/store/test_update.py tests/store/test_migrations.py",
        (
            "before a record is migrated it is backed up",
            "    backup = keep_copy(record, path)\n    migrate(path, record, before)\n",
            "    migrate(path, record, before)\n    backup = keep_copy(record, path)\n",
        ),
        (
            "a migration is whole or not at all",
            'event.listen(engine, "begin", begin_immediately)',
            "pass",
        ),
    ),
    *in_file(
        "hype/store/update.py",
        "tests/store/test_migrations.py tests/store/test_update.py",
        (
            "a migrated record says its version",
            "    stamp(connection, after)\n",
            "",
        ),
    ),
    *in_file(
        "hype/store/forgetting.py",
        "tests/store/test_forgetting.py",
        (
            "no byte of who was forgotten stays in the file",
            'raw.execute("VACUUM")',
            'raw.execute("SELECT 1")',
        ),
    ),
    *in_file(
        "hype/protocols/comparison/arena.py",
        "tests/store/test_comparison_answers.py tests/protocols/comparison/test_enrol_comparers.py",
        (
            "an arena of people counts no simulated votes",
            ".where(cells.simulated == simulated, cells.task",
            ".where(cells.task",
        ),
    ),
    *in_file(
        "hype/confine.py",
        "tests/test_confine.py",
        (
            "a path of a manifest does not go up",
            '{"", ".", ".."}',
            '{"", "."}',
        ),
        (
            "a link leads out of no folder",
            "if not (target.is_relative_to(home) or is_trusted(target)):",
            "if not (path.is_relative_to(folder) or is_trusted(target)):",
        ),
    ),
    *in_file(
        "hype/confine.py",
        "tests/test_confined_studies.py",
        (
            "an absolute folder must be trusted by name",
            "own = not absolute and any(",
            "own = any(",
        ),
    ),
    *in_file(
        "hype/files.py",
        "tests/test_files.py",
        (
            "a file is on the disk before it takes its place",
            "            bring_to_disk(file.fileno())\n",
            "",
        ),
    ),
    *in_file(
        "hype/protocols/hype/verify.py",
        "tests/verify/test_verify_damage.py",
        (
            "other masks than the plan's are found",
            '            "masks": "masks-unlike-plan",\n',
            "",
        ),
    ),
)

SCORES: Final = (
    *in_file(
        "hype/tables/answers.py",
        "tests/tables/test_unanswered.py",
        (
            "who gave no answer is named",
            "return table[~empty].copy(), tuple(by_evaluator(table[empty]))",
            "return table[~empty].copy(), ()",
        ),
    ),
    *in_file(
        "hype/tables/answers.py",
        "tests/tables/test_pasted.py",
        (
            "rows that were pasted twice are refused",
            "if times := _times(rows[places], _IN_ORDER):",
            "if times := 0:",
        ),
        (
            "who answered the same twice, in another order, is not refused",
            "(counts > 1).all()",
            "(counts > 1).any()",
        ),
    ),
    *in_file(
        "hype/tables/codebook.py",
        "tests/tables/test_codebook.py",
        (
            "1.0 is what was said of 1",
            "return str(float(folded))",
            "return folded",
        ),
    ),
    *in_file(
        "hype/protocols/hype/block_scores.py",
        "tests/protocols/hype/test_modal_exposure.py",
        (
            "of modes that tie the mean is taken",
            "mean_ms = float(np.mean(modes_ms))",
            "mean_ms = float(modes_ms[0])",
        ),
    ),
    *in_file(
        "hype/protocols/hype/error_rates.py",
        "tests/protocols/hype/test_error_rates.py",
        (
            "errors on fakes and on reals are told apart",
            "np.bincount(4 * pairs + 2 * real + wrong",
            "np.bincount(4 * pairs + 2 * ~real + wrong",
        ),
    ),
    *in_file(
        "hype/statistics/resampling.py",
        "tests/statistics/test_resampling.py",
        (
            "the interval is that of percentiles",
            'method="percentile"',
            'method="basic"',
        ),
        (
            "an evaluator's errors stay with their judgements",
            "paired=True",
            "paired=False",
        ),
        (
            "a condition that joins moves no interval of the others",
            "key = [*name.encode(), *",
            "key = [*",
        ),
        (
            "as many draws are made as were asked for",
            "n_resamples=draws",
            "n_resamples=draws // 2",
        ),
    ),
    *in_file(
        "hype/protocols/hype/exclusion.py",
        "tests/protocols/hype/test_exclusions.py",
        (
            "who is not complete is not scored",
            "if status != COMPLETE:",
            'if status == "unqualified":',
        ),
        (
            "spoiled trials are kept, or left out, as was said",
            'if treatment == "leave-out":',
            'if treatment == "keep":',
        ),
    ),
    *in_file(
        "hype/statistics/crossed.py",
        "tests/statistics/test_crossed.py",
        (
            "of few people who saw the same, images add what they add to all",
            "spare = np.sqrt(np.maximum(rest, np.finfo(float).eps) * shown)",
            "spare = np.sqrt(np.maximum(rest, np.finfo(float).eps))",
        ),
    ),
    *in_file(
        "hype/statistics/anova.py",
        "tests/protocols/hype/test_comparison.py",
        (
            "the degrees of freedom are N - k",
            "int(self.sizes.sum()) - len(self.names)",
            "int(self.sizes.sum()) - 1",
        ),
    ),
    *in_file(
        "hype/statistics/anova.py",
        "tests/protocols/hype/test_comparison.py",
        (
            "Welch's F is corrected for its uncertain weights",
            "f = float(between / (1 + 2 * (k - 2) * uncertainty))",
            "f = float(between)",
        ),
    ),
    *in_file(
        "hype/statistics/pairs.py",
        "tests/protocols/hype/test_comparison.py",
        (
            "Tukey's test allows for unequal numbers of evaluators",
            "1 / groups.sizes[a] + 1 / groups.sizes[b]",
            "1 / groups.sizes[a] + 1 / groups.sizes[a]",
        ),
        (
            "all pairs together are wrong in one of twenty studies, and not each",
            "critical(alpha, conditions, df)",
            "critical(alpha, 2, df)",
        ),
    ),
    *in_file(
        "hype/protocols/prompted/scoring.py",
        "tests/protocols/ranking/test_ranking_scoring.py",
        (
            "ranks are left open by the tests that give the verdicts",
            "if pair.separable and pair.win_rate",
            "if (pair.p or 1) < 0.05 and pair.win_rate",
        ),
    ),
    *in_file(
        "hype/statistics/bradley_terry.py",
        "tests/statistics/test_strengths.py tests/statistics/test_bradley_terry.py",
        (
            "strengths are those of the greatest likelihood",
            "gradient = unexpected.sum(axis=1) - unexpected.sum(axis=0)",
            "gradient = unexpected.sum(axis=1) - 0.9 * unexpected.sum(axis=0)",
        ),
    ),
    *in_file(
        "hype/statistics/paired_counts.py",
        "tests/statistics/test_counts.py tests/statistics/test_bradley_terry.py",
        (
            "a tie is half a win",
            "return self.wins + self.ties / 2",
            "return self.wins + self.ties",
        ),
    ),
    *in_file(
        "hype/protocols/hype/inference.py",
        "tests/protocols/hype/test_inference.py",
        (
            "few people who are alike by chance make no narrow interval",
            "return share if percent in (0, 100) else replace(share, parts=error.parts)",
            "return share",
        ),
    ),
    *in_file(
        "hype/protocols/hype/inference.py",
        "tests/protocols/hype/test_trend.py",
        (
            "a slope along an order varies with the images too",
            "half**2 * error.variance",
            "half**2 * (error.variance - error.of_items)",
        ),
    ),
    *in_file(
        "hype/protocols/hype/inference.py",
        "tests/protocols/hype/test_signal_detection.py",
        (
            "d′ varies with the images too",
            "sign * moves + away[who] * weight",
            "away[who] * weight",
        ),
    ),
    *in_file(
        "hype/protocols/hype/agreement.py",
        "tests/protocols/hype/test_agreement.py",
        (
            "agreement varies with the images too",
            'items = own.image if images == "sample" else None',
            "items = None",
        ),
    ),
    *in_file(
        "hype/statistics/agreement.py",
        "tests/statistics/test_level_alpha.py tests/protocols/hype/test_agreement.py",
        (
            "an image that one person judged tells nothing of agreement",
            "pairable: BoolArray = is_given & (size[unit] >= 2)",
            "pairable: BoolArray = is_given & (size[unit] >= 1)",
        ),
        (
            "α is corrected for small samples",
            "ratio = np.divide((values - 1) * observed",
            "ratio = np.divide(values * observed",
        ),
    ),
    *in_file(
        "hype/statistics/agreement.py",
        "tests/statistics/test_level_alpha.py",
        (
            "'not relevant' is missing, and no value",
            "    is_given = ~np.isnan(value)\n",
            "    is_given = np.ones_like(value, dtype=bool)\n",
        ),
    ),
    *in_file(
        "hype/tables/spreadsheet_text.py",
        "tests/tables/test_spreadsheet_text.py tests/export/test_tidy_tables.py",
        (
            "no text of a table is a formula",
            r"[=+\-@\t\r]",
            r"[=+\-\t\r]",
        ),
    ),
    *in_file(
        "hype/system.py",
        "tests/export/test_bids.py",
        (
            "exported data are their owner's alone",
            "OWNER_ONLY: Final = 0o600",
            "OWNER_ONLY: Final = 0o644",
        ),
    ),
    *in_file(
        "hype/export/data_set.py",
        "tests/cli/test_export_command.py",
        (
            "an export is whole or not there",
            '        with aside(home, "export") as temporary:\n            yield temporary\n'
            "            target.parent.mkdir(parents=True, exist_ok=True)\n"
            "            move_folder(temporary, target)\n",
            "        target.mkdir(parents=True)\n        yield target\n",
        ),
        (
            "an export is mixed with nothing",
            "if target.is_dir() and any(target.iterdir()):",
            "if False:",
        ),
    ),
)

CENTRAL: Final = (
    *in_file(
        "hype/store/people.py",
        "tests/protocols/hype/test_status.py tests/session/test_enrol.py",
        (
            "a simulated evaluator is no person of the same code",
            "evaluator == evaluator, evaluators.c.simulated == simulated\n    )\n    row",
            "evaluator == evaluator\n    )\n    row",
        ),
        (
            "who was turned away fills no place",
            'TURNED_AWAY = ("unqualified", "declined", "full")',
            'TURNED_AWAY = ("unqualified", "full")',
        ),
    ),
    *in_file(
        "hype/store/central/push.py",
        "tests/store/central/test_central_push.py",
        (
            "a row that was pushed is pushed once",
            "ORDER BY {} ON CONFLICT DO NOTHING",
            "ORDER BY {}",
        ),
    ),
    *in_file(
        "hype/store/central/missing.py",
        "tests/store/central/test_central_stations.py",
        (
            "a trial answered twice is said to be",
            "if (evaluators[who], task, block, trial, onset) not in taken",
            "if False",
        ),
    ),
    *in_file(
        "hype/store/central/problems.py",
        "tests/store/central/test_central_stations.py",
        (
            "a contradiction that was settled stands no longer",
            "if answer_in(row) not in settled)",
            "if not row['settled'])",
        ),
    ),
    *in_file(
        "hype/store/central/missing.py",
        "tests/store/central/test_central_push.py tests/store/central/test_central_forgotten.py",
        (
            "who was removed on request does not come back",
            "if uid not in gone and (missing or uid not in numbers):",
            "if missing or uid not in numbers:",
        ),
        (
            "what a push did not bring the next one brings",
            "if rows.get(number) != theirs[name].get(other)",
            "if bool(rows.get(number)) != bool(theirs[name].get(other))",
        ),
    ),
    *in_file(
        "hype/store/central/enrolment.py",
        "tests/store/central/test_central_stations.py tests/session/test_central_admission.py",
        (
            "stations assign one after the other",
            "connection.execute(select(func.pg_advisory_xact_lock(LOCK)))",
            "connection.execute(select(func.pg_advisory_xact_lock_shared(LOCK)))",
        ),
    ),
    *in_file(
        "hype/session/admitting.py",
        "tests/session/test_central_admission.py",
        (
            "a place that is only tried is not kept at the store",
            "            trial.rollback()",
            "            trial.commit()",
        ),
    ),
    *in_file(
        "hype/store/central/engine.py",
        "tests/store/central/test_central_roles.py",
        (
            "who reads a central store changes nothing",
            'event.listen(reading, "begin", read_only)',
            "pass",
        ),
    ),
    *in_file(
        "hype/store/central/engine.py",
        "tests/store/central/test_central_made.py",
        (
            "a store of another version is refused",
            "if not versions or max(versions) != VERSION:",
            "if not versions:",
        ),
    ),
    *in_file(
        "hype/store/central/missing.py",
        "tests/store/central/test_central_stations.py",
        (
            "two studies do not share a store",
            "if here and there and not here & there:",
            "if False:",
        ),
    ),
    *in_file(
        "hype/store/central/store.sql",
        "tests/store/central/test_central_roles.py tests/store/central/test_central_forgotten.py "
        "tests/store/central/test_central_made.py",
        (
            "who was removed on request is in no view",
            "FROM hype_added.evaluators e JOIN hype_added.removals r ON r.uid = e.uid;",
            "FROM hype_added.evaluators e JOIN hype_added.removals r ON r.uid <> e.uid;",
        ),
        (
            "a station cannot lie about who it is by a type of its own",
            "SELECT pg_catalog.substr(session_user::pg_catalog.text, 14)\n"
            "    WHERE pg_catalog.starts_with(session_user::pg_catalog.text, 'hype_station_')",
            "SELECT substr(session_user::text, 14)\n"
            "    WHERE starts_with(session_user::text, 'hype_station_')",
        ),
        (
            "no study takes the place of another",
            "('studies', '$study_possible')",
            "('studies', 'true')",
        ),
        (
            "a store of before refuses it from then on, too",
            "AND policyname = 'adding' AND with_check = 'true'",
            "AND policyname = 'adding' AND false",
        ),
        (
            "a station numbers no row",
            "REVOKE INSERT ON ALL TABLES IN SCHEMA hype_added FROM hype_station;",
            "GRANT INSERT ON ALL TABLES IN SCHEMA hype_added TO hype_station;",
        ),
        (
            "a station adds nobody who came to another",
            "('evaluators', 'station = hype_added.station()')",
            "('evaluators', 'true')",
        ),
        (
            "a station adds nothing to those who came to another",
            "('demographics', '$of_its_evaluator')",
            "('demographics', 'true')",
        ),
        (
            "a station is known by whom it logged in as",
            "SELECT pg_catalog.substr(session_user::pg_catalog.text, 14)\n    WHERE",
            "SELECT pg_catalog.substr(current_setting('application_name'), 14)\n    WHERE",
        ),
        (
            "who has no role there does not come in",
            "'REVOKE ALL ON DATABASE %I FROM PUBLIC'",
            "'REVOKE CREATE ON DATABASE %I FROM PUBLIC'",
        ),
    ),
)

SURVIVED_ONCE: Final = (
    # In these an attack found that no test noticed them.
    *in_file(
        "hype/store/sqlite_files.py",
        "tests/store/test_opening.py tests/store/test_logs.py",
        (
            "what a stranger's schema defines calls no function with side effects",
            "PRAGMA trusted_schema = OFF",
            "PRAGMA trusted_schema = ON",
        ),
        (
            "a new record's name is on the disk",
            "        sync(path.parent)\n",
            "",
        ),
        (
            "a record without a log is refused",
            'if mode == "wal":',
            "if mode:",
        ),
    ),
    *in_file(
        "hype/store/central/limits.py",
        "tests/store/central/test_central_network.py",
        (
            "a server that lets nobody in is given up in seconds",
            '"connect_timeout": self.connect_s, ',
            "",
        ),
        (
            "a network that is away is noticed while nothing is sent",
            """**keepalives, "options": options""",
            """"options": options""",
        ),
        (
            "and while something is",
            '    "tcp_user_timeout": 15_000,\n',
            "",
        ),
        (
            "nobody waits for a lock without end",
            '            "lock_timeout": round(1_000 * self.lock_s),\n',
            "",
        ),
        (
            "a station that stops in a transaction holds up nobody for long",
            '            "idle_in_transaction_session_timeout": round(1_000 * self.idle_s),\n',
            "",
        ),
        (
            "no statement goes on without end",
            '            "statement_timeout": round(1_000 * self.statement_s),\n',
            "",
        ),
    ),
    *in_file(
        "hype/store/central/engine.py",
        "tests/store/central/test_strangers_server.py",
        (
            "no server is told a password",
            '"require_auth": f"{PROVEN},none" if server.is_socket else PROVEN,',
            '"require_auth": None,',
        ),
    ),
    *in_file(
        "hype/store/sqlite_files.py",
        "tests/store/test_logs.py",
        (
            "a journal that names another file is never replayed",
            "        if file.read() == NAMES_ANOTHER:",
            "        if False:",
        ),
    ),
    *in_file(
        "hype/cli/run.py",
        "tests/store/central/test_run_with_a_store.py",
        (
            "hype run says what the store has otherwise",
            "    for line in not_taken(pushed):\n",
            "    for line in ():\n",
        ),
    ),
)

WEB: Final = (
    *in_file(
        "hype/web/app.py",
        "tests/web/test_watch.py",
        (
            "closed doors keep newcomers out",
            "        return is_closed and self._sittings.status(who) is None",
            "        return False",
        ),
        (
            "who has begun goes on behind closed doors",
            "        return is_closed and self._sittings.status(who) is None",
            "        return is_closed",
        ),
    ),
    *in_file(
        "hype/web/experimenter.py",
        "tests/web/test_watch.py",
        (
            "the experimenter's page is nobody else's",
            "        if not compare_digest(given.encode(), self._cookie.encode()):",
            "        if not given:",
        ),
    ),
    *in_file(
        "hype/web/sitting.py",
        "tests/web/test_sittings.py",
        (
            "a session that two servers held comes to its end",
            "answers = self._answers_before + self._recorder.answers",
            "answers = self._recorder.answers",
        ),
        (
            "a page after feedback is known to a server that did not hold the feedback",
            "standing = self._standing_at(name)",
            "standing = self._standing",
        ),
    ),
    *in_file(
        "hype/store/people.py",
        "tests/web/test_sittings.py",
        (
            "two servers tell one feedback from the next",
            "for t in ANSWER_TABLES\n        ),",
            "for t in ANSWER_TABLES[:0]\n        ),",
        ),
    ),
    *in_file(
        "hype/web/rates.py",
        "tests/web/test_rates.py",
        (
            "nobody asks more often than they may",
            "        if early_s > 0:",
            "        if early_s > 1e9:",
        ),
    ),
    *in_file(
        "hype/web/timing.py",
        "tests/web/test_web_timing.py",
        (
            "no trial is ok of which a browser did not tell what it could have told",
            "unseen = int(judged_by == PRESENTATIONS)",
            "unseen = 0",
        ),
    ),
    *in_file(
        "hype/web/arrivals.py",
        "tests/web/test_arrivals.py",
        (
            "nobody is sent anywhere but to Mechanical Turk",
            "is_turk = plain and TURK_HOST.fullmatch(parts.netloc)",
            "is_turk = plain and TURK_HOST.search(parts.netloc)",
        ),
        ("of two names nobody knows which is true", "if number[name] == 1}", "if number[name]}"),
        (
            "who did not consent hands nothing in",
            'if ended not in ("complete", "unqualified") or',
            "if",
        ),
        (
            "nobody takes part in a preview",
            'if given.get("assignmentId") == NOT_ACCEPTED:',
            "if False:",
        ),
        (
            "who comes otherwise is not sent to the platform",
            "if ended not in ends or web.platform != platform_of(came.person):",
            "if ended not in ends:",
        ),
    ),
    *in_file(
        "hype/keyfile.py",
        "tests/web/test_entrance.py",
        ("who comes back with another assignment is paid by it", "if row != before:", "if new:"),
    ),
    *in_file(
        "hype/status/progress.py",
        "tests/status/test_bonuses.py",
        (
            "nobody gets a bonus whose submission no platform has",
            "if evaluator.bonus > 0 and evaluator.status in SUBMITTED:",
            "if one.bonus > 0:",
        ),
    ),
    *in_file(
        "hype/protocols/studies.py",
        "tests/study/test_web_settings.py",
        (
            "who may come with a browser makes no other study",
            'exclude={"store", "web"}',
            'exclude={"store"}',
        ),
    ),
    *in_file(
        "hype/protocols/studies.py",
        "tests/study/test_web_texts.py",
        (
            "what a study words itself is said in browsers too",
            "if now[name] == usual[name]}",
            "if name in now}",
        ),
    ),
    *in_file(
        "hype/web/scenes.py",
        "tests/protocols/ranking/test_ranking_scenes.py",
        (
            "a button that stands pressed cannot be pressed again",
            " - {self.pressed} | late",
            " | late",
        ),
    ),
)

LIBRARY: Final = (
    *in_file(
        "hype/library/result.py",
        "tests/library/test_library.py",
        (
            "called from Python it prints nothing",
            "with silent(), at_most(workers):",
            "with at_most(workers):",
        ),
    ),
    *in_file(
        "hype/library/staircase.py",
        "tests/library/test_library.py",
        (
            "a staircase in somebody else's loop is that of sessions",
            "state = rule.step(self._states[-1], bool(correct))",
            "state = rule.step(self._states[0], bool(correct))",
        ),
    ),
    *in_file(
        "hype/study/mistakes.py",
        "tests/study/test_mistakes.py",
        (
            "a mistake in a list names the value as people count",
            "str(part + 1 if isinstance(part, int) else part)",
            "str(part)",
        ),
    ),
    *in_file(
        "hype/report/page.py",
        "tests/cli/test_extras.py",
        (
            "a report is made without matplotlib too",
            'tuple(page_panels(drawing)) if is_installed("matplotlib") else ()',
            "tuple(page_panels(drawing))",
        ),
    ),
    *in_file(
        "hype/report/figures/files.py",
        "tests/library/test_library.py",
        (
            "figures of simulated people say so",
            "figure = grid_of(drawing, mark, kind=Plot)",
            "figure = grid_of(drawing, kind=Plot)",
        ),
    ),
    *in_file(
        "hype/library/result.py",
        "tests/library/test_library.py",
        (
            "a column of numbers holds numbers alone",
            "cells[column.key] = _numbers([None if isinstance(v, str) else v for v in values])",
            "cells[column.key] = values",
        ),
    ),
)

DESK: Final = (
    *in_file(
        "hype/local_page/app.py",
        "tests/local_page/test_local_page.py",
        (
            "the local page's link lets in one browser",
            "if not fits or self._used:",
            "if not fits:",
        ),
        (
            "other sites' pages write nothing at the local page",
            "(writes and origin != own)",
            "(writes and not own)",
        ),
        (
            "a name of another's that leads to this machine does not lead to the local page",
            "Middleware(TrustedHostMiddleware, allowed_hosts=HOSTS), ",
            "",
        ),
    ),
    *in_file(
        "hype/local_page/places.py",
        "tests/local_page/test_local_page.py",
        (
            "the local page does not write over what somebody else wrote",
            "if checksum(text) != seen:",
            "if not seen:",
        ),
        (
            "what people were given is not changed at the local page",
            "study, simulated=False, new_version=False)",
            "study, simulated=False, new_version=True)",
        ),
    ),
    *in_file(
        "hype/local_page/form.py",
        "tests/local_page/test_form.py",
        (
            "a form writes only what differs from the default",
            "if name not in table and change.value == usual[change.place]:",
            "if name not in table and change.value is usual:",
        ),
    ),
)

TOGETHER: Final = (
    *in_file(
        "hype/answers/joined.py",
        "tests/answers/test_joined.py",
        (
            "answers that were read before are refused",
            "    if len(again):",
            "    if len(again) > 1_000_000:",
        ),
        (
            "evaluators who are told apart are other people",
            "            if apart:",
            "            if False:",
        ),
        (
            "images of one name with other checksums are other images",
            'return f"{image} of {part}" if image in known else image',
            "return image",
        ),
        (
            "studies that were asked otherwise are not scored together",
            "        if differences:",
            "        if False:",
        ),
    ),
    *in_file(
        "hype/protocols/prompted/study_effects.py",
        "tests/protocols/prompted/test_strength_effects.py",
        (
            "a level of a study's strengths is no effect of it",
            "apart - apart.mean()",
            "apart",
        ),
        (
            "a study that differs is tested among all conditions and studies",
            "tests = sum(len(own) for own in every.values())",
            "tests = measures",
        ),
    ),
    *in_file(
        "hype/protocols/hype/study_effects.py",
        "tests/answers/test_joined.py",
        (
            "a study that reads higher is found on what it shares",
            "own[anchors.index]",
            "0 * own[anchors.index]",
        ),
    ),
    *in_file(
        "hype/leaderboard/history.py",
        "tests/leaderboard/test_leaderboard.py",
        (
            "nothing is taken out of a leaderboard's day",
            "standings[name] = {**rows, **standings.get(name, {})}",
            "standings.setdefault(name, {})",
        ),
    ),
    *in_file(
        "hype/leaderboard/boards.py",
        "tests/leaderboard/test_leaderboard.py",
        (
            "who was withdrawn takes no rank",
            "(entry for entry in every if entry.model not in hidden)",
            "(entry for entry in every)",
        ),
        (
            "no two models of a group are told apart",
            "not apart[names[end]] & set(names[start:end])",
            "names[end - 1] not in apart[names[end]]",
        ),
    ),
    *in_file(
        "hype/leaderboard/site.py",
        "tests/leaderboard/test_leaderboard.py",
        (
            "a site that is killed midway stays as it was",
            "write_bytes(new / name, content.encode(), private=False)",
            "write_bytes(folder / name, content.encode(), private=False)",
        ),
    ),
    *in_file(
        "hype/tables/published.py",
        "tests/tables/test_published.py",
        (
            "a vote that is for neither image is refused",
            "            if side is None:",
            "            if side is None and False:",
        ),
    ),
)

GROUPS: Final = (
    *in_file(
        "hype/statistics/cells.py",
        "tests/statistics/test_cells.py",
        (
            "groups that look alike by chance are not given one score with a narrow interval",
            "spread = np.sqrt(chance @ (variance + np.square(each - value)))",
            "spread = np.sqrt(variance[0])",
        ),
        (
            "no interaction is found where groups differ alike",
            "both = np.hstack([by_condition, _one_hot(cells.group)])",
            "both = by_condition",
        ),
        (
            "a win rate is that against the opponents of all groups",
            "left = values - _means(strata, values)[strata]",
            "left = values - _means(condition, values)[condition]",
        ),
        (
            "a total takes all groups",
            "        if present[place]:\n",
            "        if True:\n",
        ),
        (
            "one person is no interval",
            "    if people >= FEWEST_PEOPLE:\n",
            "    if people >= 1:\n",
        ),
    ),
    *in_file(
        "hype/statistics/agreement.py",
        "tests/statistics/test_group_alpha.py",
        (
            "agreement between groups is of pairs by two of them",
            'pairs = pairs - np.einsum("ugv,ugw->uvw", counts, counts)',
            "pairs = pairs * 1.0",
        ),
    ),
    *in_file(
        "hype/answers/groups.py",
        "tests/answers/test_groups.py",
        (
            "weights that do not add up are refused",
            "if abs(sum(weights.values()) - 1) > NEAR:",
            "if False:",
        ),
        (
            "images of two classes are in none",
            'return named.pop() if len(named) == 1 else ""',
            'return max(named, default="")',
        ),
    ),
)

METRICS: Final = (
    *in_file(
        "hype/features/efficientnet_lite0.py",
        "tests/features/test_efficientnet_lite0.py",
        (
            "the network is the one that was trained",
            "HALVING: Final = (1, 3, 5, 11)",
            "HALVING: Final = (1, 3, 5, 12)",
        ),
        (
            "a file of weights makes nothing but arrays",
            "if (module, name) not in KNOWN:",
            "if False:",
        ),
    ),
    *in_file(
        "hype/features/features.py",
        "tests/features/test_features.py tests/features/test_efficientnet_lite0.py",
        (
            "rows are found by name",
            "values = table.values[[rows[name] for name in images]]",
            "values = table.values[: len(images)]",
        ),
        (
            "single precision is not doubled",
            "if array.dtype in (np.float16, np.float32):",
            "if False:",
        ),
        (
            "what is cut off in the cache is computed again",
            "if len(content) == DIMENSIONS * STORED.itemsize:",
            "if content:",
        ),
    ),
    *in_file(
        "hype/statistics/distributions.py",
        "tests/statistics/test_distributions.py",
        (
            "the interval of density allows for how many neighbours half of the images have",
            "np.mean([near.density(k) for k in OF_A_HALF])",
            "near.density(MORE_NEIGHBOURS)",
        ),
        (
            "the kernel distance has no bias",
            "(kernel.sum() - kernel.trace()) / (len(kernel) * (len(kernel) - 1))",
            "kernel.mean()",
        ),
        (
            "a share of all is not taken for certain",
            "if highest == 1:",
            "if False:",
        ),
    ),
    *in_file(
        "hype/protocols/hype/metrics.py",
        "tests/protocols/hype/test_metrics_by_class.py",
        (
            "points that share a condition are permuted together",
            "places = rows[:, :, None] * self.classes + columns[:, None, :]",
            "places = rng.permuted(rows[:, :, None] * self.classes + columns[:, None, :], axis=1)",
        ),
    ),
)

REWARD: Final = (
    *in_file(
        "hype/reward/votes.py",
        "tests/reward/test_reward_votes.py",
        (
            "no prompt is in two splits",
            "VoteSplit.TRAIN: np.sort(rest[share:]),",
            "VoteSplit.TRAIN: np.sort(rest),",
        ),
        (
            "a vote is for the image that was chosen, whichever came first",
            "side = np.where(swapped, -votes.verdict, votes.verdict)",
            "side = votes.verdict",
        ),
        (
            "ties are votes too",
            "ties=sums[2],",
            "ties=0 * sums[2],",
        ),
    ),
    *in_file(
        "hype/reward/train.py",
        "tests/reward/test_training.py",
        (
            "a model follows from the seed",
            "split, start, resampled, chance = np.random.SeedSequence(options.seed).spawn(4)",
            "split, start, resampled, chance = np.random.SeedSequence(0).spawn(4)",
        ),
        (
            "shuffled answers are foretold no better than by a coin",
            "tests, own = parts.votes[VoteSplit.TEST], scores[0]",
            "tests, own = parts.votes[VoteSplit.TRAIN], scores[0]",
        ),
        (
            "a model never seen was not trained on",
            "left = pairs.of((of_one != number) & (of_other != number))",
            "left = pairs",
        ),
    ),
    *in_file(
        "hype/reward/heads.py",
        "tests/reward/test_heads.py",
        (
            "each prompt has its turn with a hidden layer",
            "for n in range(number):",
            "for n in range(1, number):",
        ),
        (
            "a head of few images is one of the features as they came",
            "self.basis = self.scale[:, None] * axes.T, self.mean",
            "self.basis = axes.T, self.mean",
        ),
    ),
    *in_file(
        "hype/reward/heads.py",
        "tests/reward/test_training.py",
        (
            "a hidden layer does not vanish under the first penalties",
            "if not is_linear and penalty > STRONGEST_OF_LAYER:",
            "if False:",
        ),
    ),
    *in_file(
        "hype/reward/model.py",
        "tests/reward/test_reward_folder.py",
        (
            "loading a model runs no code",
            "tensors = load(content_of(path))",
            'tensors = __import__("pickle").loads(content_of(path))',
        ),
    ),
)

JUDGES: Final = (
    *in_file(
        "hype/cli/judge.py",
        "tests/asking/test_asked.py",
        (
            "nothing is asked twice",
            "waiting = [request for request in requests if request.key not in replies]",
            "waiting = list(requests)",
        ),
    ),
    *in_file(
        "hype/asking/cache.py",
        "tests/asking/test_asked.py",
        (
            "a reply is on the disk before another is waited for: a kill loses none",
            "with self._connection:\n            self._connection.execute(statement, values)",
            "self._connection.execute(statement, values)",
        ),
        (
            "what had no reply when a program was killed is asked again",
            "WHERE key = ? AND reply IS NOT NULL",
            "WHERE key = ?",
        ),
    ),
    *in_file(
        "hype/asking/budget.py",
        "tests/asking/test_asked.py",
        (
            "a budget holds what is under way",
            "return self.spent + self.lost + self._held + cost <= self.budget",
            "return self.spent + self.lost <= self.budget",
        ),
    ),
    *in_file(
        "hype/asking/endpoint.py",
        "tests/asking/test_asked.py",
        (
            "a key that a server repeats is in no message",
            "return self._without_key(text)[:LONGEST_SAID]",
            "return text[:LONGEST_SAID]",
        ),
        (
            "a key that a server repeats is in no file",
            "text = self._without_key(raw.text)",
            "text = raw.text",
        ),
    ),
    *in_file(
        "hype/asking/questions.py",
        "tests/asking/test_asked.py",
        (
            "no answer is guessed from another word",
            'raise NoAnswerError("not among the answers")',
            "return (self.levels[0].answer,)",
        ),
    ),
    *in_file(
        "hype/asking/requests.py",
        "tests/asking/test_asked.py",
        (
            "a refusal is no answer, whatever else it says",
            'return Answer(missing="refused")',
            "return Answer(given=(question.levels[0].answer,))",
        ),
    ),
    *in_file(
        "hype/protocols/comparison/export.py",
        "tests/asking/test_beside_people.py",
        (
            "a table has the images in the order in which a judge saw them",
            'cells={"left_image": left.path, "right_image": right.path},',
            'cells={"left_image": right.path, "right_image": left.path},',
        ),
        (
            "each pair is asked in both orders",
            '(meeting.one, meeting.other), key=attrgetter("sha256"), reverse=turned',
            '(meeting.one, meeting.other), key=attrgetter("sha256"), reverse=False',
        ),
    ),
    *in_file(
        "hype/judges/files.py",
        "tests/judges/test_comparing_and_detecting.py",
        (
            "left and right are about the images that stood there",
            'answer.replace({"left": "right", "right": "left"})',
            "answer",
        ),
    ),
    *in_file(
        "hype/judges/deviations.py",
        "tests/judges/test_comparing_and_detecting.py",
        (
            "who is never wrong copies nobody: the most that anybody could agree is allowed",
            "own, other = equal - equal.mean(), slope * (same - same.mean())",
            "own, other, most = equal - equal.mean(), slope * (same - same.mean()), same.mean()",
        ),
        (
            "who copies a person is found by where that person differs from others",
            "slope = np.bincount(who, weights=z * own, minlength=size)",
            "slope = np.bincount(who, weights=0 * z * own, minlength=size)",
        ),
    ),
)

MUTANTS: Final = (
    *SESSIONS,
    *RECORD,
    *SCORES,
    *CENTRAL,
    *WEB,
    *LIBRARY,
    *TOGETHER,
    *GROUPS,
    *METRICS,
    *REWARD,
    *JUDGES,
    *DESK,
    *SURVIVED_ONCE,
)
