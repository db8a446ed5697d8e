import Foundation

/// Why the value of a transformable attribute could not be read or set.
public struct TransformationFailure: Error, Sendable {
    /// What was to be done.
    public enum Direction: Sendable, Hashable {
        /// A value was to be made of the stored bytes.
        case reading
        /// Bytes were to be made of a value.
        case writing
    }

    /// Why it could not be done.
    public enum Reason: Sendable {
        /// No transformer of the name is registered.
        case notRegistered
        /// The transformer's values, or the value that was given, are of another type than was asked for.
        case wrongType(expected: String, found: String)
        /// The transformer threw.
        case failed(any Error)
    }

    /// The name of the object's entity.
    public let entity: String
    /// The name of the attribute.
    public let attribute: String
    /// The name of the transformer.
    public let transformer: ValueTransformerName
    /// What was to be done.
    public let direction: Direction
    /// Why it could not be done.
    public let reason: Reason
}

extension TransformationFailure: CustomStringConvertible {
    /// What failed, on what, why, and what to do next. Never the value, unless the transformer's own error
    /// says it.
    public var description: String {
        let path = "\(entity).\(attribute)"
        let verb = direction == .reading ? "read" : "set"
        switch reason {
        case .notRegistered:
            return "\(path) could not be \(verb): no transformer “\(transformer)” is registered."
                + " Register it with ValueTransformers.setValueTransformer(_:forName:), or use the bytes."
        case .wrongType(let expected, let found):
            return "\(path) could not be \(verb): the transformer “\(transformer)” has values of"
                + " the type \(expected), not \(found)."
        case .failed(let error):
            return "\(path) could not be \(verb) with the transformer “\(transformer)”: \(error)"
                + (direction == .reading ? " primitiveValue(forKey:) returns the bytes." : "")
        }
    }
}

extension TransformationFailure: LocalizedError {
    /// The ``description``, which `localizedDescription` returns as well.
    public var errorDescription: String? { description }
}
