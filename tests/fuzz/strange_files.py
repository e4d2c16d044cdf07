"""Files for each target: nearly right, and wrong in ways that a stranger might try."""

from collections.abc import Mapping
from typing import Final

from hypothesis import strategies as st
from image_files import IMAGE_FILES
from record_files import RECORD_FILES
from study_files import STUDY_FILES
from table_files import JUDGEMENT_FILES, MASK_MANIFESTS, PARQUET_FILES, STIMULUS_MANIFESTS

FILES: Final[Mapping[str, st.SearchStrategy[bytes]]] = {
    "study": STUDY_FILES,
    "judgements": JUDGEMENT_FILES,
    "parquet": PARQUET_FILES,
    "stimuli": STIMULUS_MANIFESTS,
    "masks": MASK_MANIFESTS,
    "image": IMAGE_FILES,
    "record": RECORD_FILES,
}
