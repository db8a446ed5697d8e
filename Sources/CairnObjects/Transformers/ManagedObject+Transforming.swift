import CairnModel
import CairnStack
import Foundation

/// The values of transformable attributes, converted by the transformers of ``ValueTransformers``.
///
/// A value is transformed each time it is read, never by a fetch or when a fault is fired. To access the
/// stored bytes, use ``primitiveValue(forKey:)``.
extension ManagedObject {
    /// Returns the value of a transformable attribute as a value of a type.
    ///
    /// The type is the type of the transformer's values. For a built-in transformer, it is any
    /// ``CairnModel/ArchiveConvertible`` type that the stored value fits, such as `[String]`,
    /// `[String: Int]` or `Date`.
    ///
    /// - Returns: The value, or `nil` if the attribute is `nil`.
    /// - Throws: `.transformation` if no transformer is registered, the transformer cannot read the
    ///   bytes, or its values have another type; `.unknownProperty`, `.wrongType` for an attribute that
    ///   is not transformable, `.objectGone`, `.store`, `.wrongThread`.
    public final func transformedValue<T>(
        forKey key: String, as type: T.Type = T.self
    ) throws(GraphError) -> T? {
        try checkTurn(key)
        if let successor { return try successor.transformedValue(forKey: key) }
        guard case .attribute(let binding) = try kind.binding(key), binding.isTransformable else {
            throw wrongType(
                key, expected: "a value that is not transformed",
                found: "a transformed value of type \(T.self)")
        }
        guard case .transformable(let data) = try value(of: binding) else { return nil }
        return try transforming(binding.attribute) { transformer throws(TransformationFailure) in
            try transformer.value(of: data, as: T.self)
        }
    }

    // MARK: Steps

    /// Returns an attribute's value in the form that ``value(forKey:)`` returns.
    ///
    /// - Throws: `.transformation`.
    final func shown(_ value: Value, of binding: AttributeBinding) throws(GraphError) -> Any? {
        guard binding.isTransformable, case .transformable(let data) = value else {
            return value.anyValue
        }
        return try transforming(binding.attribute) { transformer throws(TransformationFailure) in
            try transformer.value(of: data)
        }
    }

    /// Returns the value to store for a Swift value. A ``CairnModel/Value`` is returned unchanged.
    ///
    /// - Throws: `.wrongType`, `.transformation`. For a transformable attribute, whose current value is
    ///   compared with the new one, also `.objectGone` and `.store`.
    final func stored(_ value: Any?, of binding: AttributeBinding) throws(GraphError) -> Value {
        if binding.isTransformable, let value, !(value is Value), !Optional(value).isNothing {
            return try transformed(value, binding.attribute, try current(of: binding))
        }
        guard let converted = Value(any: value, for: binding.attribute) else {
            throw mismatchError(value, for: binding)
        }
        return converted
    }

    private final func transformed(
        _ value: Any, _ attribute: Attribute, _ current: Value
    ) throws(GraphError) -> Value {
        var stored: Data?
        if case .transformable(let data) = current { stored = data }
        return .transformable(
            try transforming(attribute) { transformer throws(TransformationFailure) in
                try transformer.data(of: value, current: stored)
            })
    }

    private final func transforming<Result>(
        _ attribute: Attribute,
        _ body: (AttributeTransformer) throws(TransformationFailure) -> Result
    ) throws(GraphError) -> Result {
        do {
            return try body(AttributeTransformer(of: attribute, in: entity))
        } catch {
            throw .transformation(error)
        }
    }

    /// Returns the attribute's value without noting the read for observers.
    private final func current(of binding: AttributeBinding) throws(GraphError) -> Value {
        switch binding.storage {
        case .row(let slot): try value(at: slot)
        case .object(let slot): extraValue(at: slot)
        case .none: .null
        }
    }
}
