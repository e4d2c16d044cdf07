"""One session, of any protocol: enrolled, held, recorded, resumed."""
