import Foundation

/// Tells which values could not be had by accessors that do not throw.
///
/// A context and the kinds of its objects share one, so that an object is heard also after it left the
/// context, or after the context went.
final class FaultFailures {
    /// Told of each failure. `nil` has each failure written to standard error.
    var handler: ((GraphError, ManagedObject) -> Void)?

    func report(_ error: GraphError, of object: ManagedObject) {
        if let handler { return handler(error, object) }
        FileHandle.standardError.write(Data("Cairn: \(object.entity.name): \(error)\n".utf8))
    }
}
