import CairnModel

/// Why a predicate cannot be expressed in our grammar.
struct UnreadablePredicate: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
