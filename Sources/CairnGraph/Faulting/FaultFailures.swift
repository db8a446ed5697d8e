import Foundation

/// Reports the values that accessors that do not throw could not read.
///
/// A context and the kinds of its objects share one instance. So the handler is also called for objects
/// that left the context, and after the context was deallocated.
final class FaultFailures {
    /// Called for each failure. If it is `nil`, each failure is written to standard error.
    var handler: ((GraphError, ManagedObject) -> Void)?

    func report(_ error: GraphError, of object: ManagedObject) {
        if let handler { return handler(error, object) }
        FileHandle.standardError.write(Data("Cairn: \(object.entity.name): \(error)\n".utf8))
    }
}
