from hype.report.matrix import pair_matrix


def test_every_pair_once_above_the_diagonal(scores):
    matrix = pair_matrix(scores[0])
    names = [row.condition for row in scores[0].conditions]
    assert list(matrix.columns) == names[1:]
    cells = [pair for _, row in matrix.rows for pair in row if pair]
    assert cells == list(scores[0].pairwise)
    assert matrix.rows[1][1][0] is None
