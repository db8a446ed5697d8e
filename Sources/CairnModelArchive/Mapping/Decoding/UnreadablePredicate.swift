import CairnModel

/// The reason that an archived predicate cannot be represented as a `FetchPredicate`.
struct UnreadablePredicate: Error {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
