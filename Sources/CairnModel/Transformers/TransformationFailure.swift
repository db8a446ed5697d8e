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
                + "\(transformer.suggestion) Register one with ValueTransformers.setValueTransformer(_:forName:), or use the"
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

/// An error for an archive or a property list whose value does not have the transformer's type.
package struct UnexpectedValue: Error, Sendable, Hashable, CustomStringConvertible {
    /// The type of the transformer's values.
    package let expected: String

    /// A sentence that contains the type, never the value.
    package var description: String { "The data does not contain a value of type \(expected)." }
}

extension ArchiveConvertible {
    /// Converts an archived value to this type.
    ///
    /// - Throws: `UnexpectedValue` if the value does not fit this type.
    package static func converted(_ value: ArchivableValue) throws(UnexpectedValue) -> Self {
        guard let converted = Self(archivable: value) else {
            throw UnexpectedValue(expected: "\(Self.self)")
        }
        return converted
    }
}

/// An attribute whose transformer is not registered, so that its values are read as `Data`.
package struct UnregisteredTransformer: Sendable, Hashable, CustomStringConvertible {
    /// The name of the entity that declares the attribute.
    package let entity: String
    /// The name of the transformable attribute.
    package let attribute: String
    /// The transformer's name in the model.
    package let transformer: ValueTransformerName

    /// A sentence that contains the attribute and the transformer's name.
    package var description: String {
        "No transformer “\(transformer)” is registered for \(entity).\(attribute).\(transformer.suggestion)"
    }
}

extension ValueTransformerName {
    /// A question with the most similar name of a registered transformer, after a space. Empty if no name is
    /// similar.
    fileprivate var suggestion: String {
        let known = ValueTransformers.valueTransformerNames.map(\.rawValue)
        return NearestName.of(rawValue, among: known).map { " Did you mean “\($0)”?" } ?? ""
    }
}
