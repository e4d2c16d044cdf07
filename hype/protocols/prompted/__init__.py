"""Common parts of comparisons, ratings and rankings, which ask about images of prompts."""
