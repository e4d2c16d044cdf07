"""The pre-flight: what can be wrong with any study, before anybody sits down."""
