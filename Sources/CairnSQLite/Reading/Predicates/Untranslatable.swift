import CairnModel

/// An expression that SQL cannot evaluate as the evaluator does.
struct Untranslatable: Error {}
