import Cairn

/// An object that outlives its context, and what it reported.
final class LeftObject: @unchecked Sendable {
    // Unchecked: used by one thread, in one test.
    var object: ManagedObject?
    var failures: [GraphError] = []
}
