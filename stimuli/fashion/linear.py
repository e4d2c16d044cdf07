"""The two worst generators: Gaussian distributions fitted to each class.

`sample_gaussian` treats pixels as independent; `sample_pca` keeps the main directions in which
the pictures of a class vary (probabilistic principal component analysis without its noise term,
Tipping and Bishop 1999, Journal of the Royal Statistical Society B 61, 611-622).
"""

import numpy as np
from dataset import LabelledImages


def sample_gaussian(
    train: LabelledImages, labels: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """Draw one picture per label, (n, 28, 28): independent pixels with the class's mean and sd."""
    samples = np.empty((len(labels), 28, 28))
    for label in np.unique(labels):
        members = train.of_class(label)
        wanted = labels == label
        shape = (wanted.sum(), 28, 28)
        samples[wanted] = rng.normal(members.mean(axis=0), members.std(axis=0), shape)
    return samples


def sample_pca(
    train: LabelledImages, labels: np.ndarray, rng: np.random.Generator, n_components: int
) -> np.ndarray:
    """Draw one picture per label, (n, 28, 28): class mean plus Gaussian principal components."""
    samples = np.empty((len(labels), 28, 28))
    for label in np.unique(labels):
        members = train.of_class(label).reshape(-1, 28 * 28)
        variances, directions = principal_components(members, n_components)
        wanted = labels == label
        scores = rng.normal(size=(wanted.sum(), n_components)) * np.sqrt(variances)
        pictures = members.mean(axis=0) + scores @ directions
        samples[wanted] = pictures.reshape(-1, 28, 28)
    return samples


def principal_components(rows: np.ndarray, n_components: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest variances, (k,), and their unit directions, (k, n_columns)."""
    variances, directions = np.linalg.eigh(np.cov(rows, rowvar=False))
    sign = np.where(directions.sum(axis=0) < 0, -1, 1)  # the sign of an eigenvector is arbitrary
    return variances[-n_components:], (directions * sign).T[-n_components:]
