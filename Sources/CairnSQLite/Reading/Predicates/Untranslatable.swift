import CairnModel

/// What SQL cannot be made to say as the evaluator means it.
struct Untranslatable: Error {}
