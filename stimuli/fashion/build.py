"""Build the demonstration stimuli: real Fashion-MNIST pictures and four kinds of fakes.

    python stimuli/fashion/build.py [--dataset DIR] [--out DIR] [--flow-steps N]
                                    [--checkpoint FILE]

Training the flow model takes about an hour on two processor cores, everything else a few
minutes. The weights are saved in the checkpoint; if this file exists, they are read from it.
"""

import argparse
import logging
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from dataset import CLASS_NAMES, DATASET_DIR, DatasetError, LabelledImages, read_part
from flow import CheckpointError, FlowSettings, SamplingSettings, load_flow, sample_flow, train_flow
from linear import sample_gaussian, sample_pca
from pictures import draw_contact_sheet, write_manifest, write_source
from unet import VelocityNet
from vae import VaeSettings, sample_vae, train_vae

logger = logging.getLogger("build")

SEED = 1904
PER_CLASS = 40
PCA_COMPONENTS = 200
THREADS = 2  # fixed because the order of floating-point sums depends on it


def main() -> None:
    """Read the command line and build; print a short message if an input is missing."""
    options = parse_options()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(name)s: %(message)s")
    torch.set_num_threads(THREADS)
    torch.use_deterministic_algorithms(mode=True)
    try:
        build(options)
    except (DatasetError, CheckpointError) as error:
        raise SystemExit(f"build.py: {error}") from error


def parse_options() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    here = Path(__file__).resolve().parent
    parser.add_argument("--dataset", type=Path, default=DATASET_DIR, help="folder of Fashion-MNIST")
    parser.add_argument("--out", type=Path, default=here, help="folder for the stimulus set")
    steps, checkpoint = FlowSettings.steps, here / "flow.pt"
    parser.add_argument("--flow-steps", type=int, default=steps, help="training steps")
    parser.add_argument("--checkpoint", type=Path, default=checkpoint, help="weights of the flow")
    return parser.parse_args()


def build(options: argparse.Namespace) -> None:
    """Write all pictures, the manifest and the contact sheet to `options.out`."""
    rows = []
    for condition, samples, labels in draw_all(options):
        names = [CLASS_NAMES[label] for label in labels]
        kind = "fake" if condition else "real"
        rows += write_source(options.out, kind, condition, samples, names)
        logger.info("%s: %d pictures written", condition or "real", len(samples))
    write_manifest(options.out / "manifest.csv", rows)
    sheet = draw_contact_sheet(options.out, rows, CLASS_NAMES)
    sheet.save(options.out / "contact-sheet.png", optimize=True)


def draw_all(options: argparse.Namespace) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Yield, for each source, condition ("" for real), pictures, (n, 28, 28), and labels, (n,)."""
    train = read_part(options.dataset, "train")
    held_out = read_part(options.dataset, "t10k")
    rngs = np.random.default_rng(SEED).spawn(5)
    orders = [shuffled_labels(rng) for rng in rngs]
    noise = torch.Generator().manual_seed(SEED)

    yield "", choose_real(held_out, orders[0], rngs[0]), orders[0]
    yield "gaussian", sample_gaussian(train, orders[1], rngs[1]), orders[1]
    yield "pca", sample_pca(train, orders[2], rngs[2], PCA_COMPONENTS), orders[2]
    yield "vae", sample_vae(train_vae(train, VaeSettings()), orders[3], noise), orders[3]
    settings = FlowSettings(steps=options.flow_steps)
    net = obtain_flow(train, settings, options.checkpoint)
    yield "flow", sample_flow(net, orders[4], SamplingSettings(), noise), orders[4]


def shuffled_labels(rng: np.random.Generator) -> np.ndarray:
    """Return classes, equally often and in random order, so that file numbers do not show them."""
    return rng.permutation(np.repeat(np.arange(len(CLASS_NAMES)), PER_CLASS))


def choose_real(
    held_out: LabelledImages, labels: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw pictures of the wanted classes, (n, 28, 28), pixels in [0, 1], none of them twice."""
    chosen = np.empty((len(labels), 28, 28))
    for label in np.unique(labels):
        wanted = labels == label
        chosen[wanted] = rng.choice(held_out.of_class(label), wanted.sum(), replace=False)
    return chosen


def obtain_flow(train: LabelledImages, settings: FlowSettings, checkpoint: Path) -> VelocityNet:
    """Read the flow model if its weights were saved; otherwise train it and save them."""
    if checkpoint.is_file():
        logger.info("flow: weights read from %s", checkpoint)
        return load_flow(checkpoint, settings)
    return train_flow(train, settings, checkpoint)


if __name__ == "__main__":
    main()
