import Cairn

/// An object that outlives its context, and the failures that it reported.
final class LeftObject: @unchecked Sendable {
    // Unchecked because a single thread of a single test uses it.
    var object: ManagedObject?
    var failures: [GraphError] = []
}
