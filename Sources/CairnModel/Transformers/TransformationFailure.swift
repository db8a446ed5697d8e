import Foundation

/// An error that describes why the value of a transformable attribute could not be read or set.
public struct TransformationFailure: Error, Sendable {
    /// The direction of a transformation: reading a stored value, or setting a value.
    package enum Direction: Sendable, Hashable {
        /// The stored bytes were to be converted to a value.
        case reading
        /// A value was to be converted to bytes.
        case writing
    }

    /// The reason that a value could not be transformed.
    public enum Reason: Sendable {
        /// No transformer is registered under the name.
        case notRegistered
        /// The transformer's values, or the given value, do not have the expected type.
        case wrongType(expected: String, found: String)
        /// The transformer threw the error that is the associated value.
        case failed(any Error)
    }

    /// The name of the object's entity.
    public let entity: String
    /// The name of the attribute whose value could not be transformed.
    public let attribute: String
    /// The name under which the model refers to the transformer.
    public let transformer: ValueTransformerName
    /// The direction in which the value was to be transformed.
    package let direction: Direction
    /// The reason that the value could not be transformed.
    public let reason: Reason

    package init(
        entity: String, attribute: String, transformer: ValueTransformerName, direction: Direction,
        reason: Reason
    ) {
        self.entity = entity
        self.attribute = attribute
        self.transformer = transformer
        self.direction = direction
        self.reason = reason
    }
}

extension TransformationFailure: CustomStringConvertible {
    /// Says what failed, for which attribute, why, and what to do next. Contains the value only if the
    /// transformer's own error contains it.
    public var description: String {
        let path = "\(entity).\(attribute)"
        let verb = direction == .reading ? "read" : "set"
        switch reason {
        case .notRegistered:
            return "\(path) could not be \(verb): no transformer “\(transformer)” is registered."
                + " Register one with ValueTransformers.setValueTransformer(_:forName:), or use the"
                + " stored bytes."
        case .wrongType(let expected, let found):
            return
                "\(path) could not be \(verb): the values of the transformer “\(transformer)” have"
                + " the type \(expected), not \(found)."
        case .failed(let error):
            return "\(path) could not be \(verb) with the transformer “\(transformer)”: \(error)"
                + (direction == .reading
                    ? " primitiveValue(forKey:) returns the stored bytes." : "")
        }
    }
}

extension TransformationFailure: LocalizedError {
    /// The ``description``. `localizedDescription` returns it too.
    public var errorDescription: String? { description }
}
