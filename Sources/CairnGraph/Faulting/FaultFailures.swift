import Foundation

/// Reports values that could not be read by accessors that do not throw.
///
/// A context and the kinds of its objects share one instance. The handler is therefore also called for
/// objects that left the context, even after the context was deallocated.
final class FaultFailures {
    /// Called for each failure. If it is `nil`, each failure is written to standard error.
    var handler: ((GraphError, ManagedObject) -> Void)?

    func report(_ error: GraphError, of object: ManagedObject) {
        if let handler { return handler(error, object) }
        FileHandle.standardError.write(Data("Cairn: \(object.entity.name): \(error)\n".utf8))
    }
}
