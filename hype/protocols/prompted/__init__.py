"""What comparisons, ratings and rankings share: they ask about images of prompts."""
