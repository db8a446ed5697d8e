import CairnModel
import CairnStore
import Foundation

/// Values of transformable attributes, by the transformers of ``ValueTransformers``.
///
/// A value is transformed each time it is read, and never by a fetch or by a fault that fires. The bytes
/// themselves are in ``subscript(_:)``, ``primitiveValue(forKey:)`` and ``data(at:)``.
extension ManagedObject {
    /// Returns the value of a transformable attribute as one of a type.
    ///
    /// The type is that of the transformer's values. Of a built-in transformer it is any
    /// ``CairnModel/ArchiveConvertible`` type that the stored value fits: `[String]`, `[String: Int]`, `Date`.
    ///
    /// - Returns: `nil` if the attribute is nil.
    /// - Throws: `.transformation` if no transformer is registered, or if it cannot read the bytes or has
    ///   values of another type; `.unknownProperty`, `.wrongType` for an attribute that is not transformable,
    ///   `.objectGone`, `.store`, `.wrongThread`.
    public final func transformedValue<T>(
        forKey key: String, as type: T.Type = T.self
    ) throws(GraphError) -> T? {
        try checkTurn(key)
        if let successor { return try successor.transformedValue(forKey: key) }
        guard case .attribute(let binding) = try kind.binding(key), binding.isTransformable else {
            throw wrongType(key, expected: "no transformed value", found: "\(T.self)")
        }
        guard case .transformable(let data) = try value(of: binding) else { return nil }
        return try AttributeTransformer(of: binding.attribute, in: entity)
            .value(of: data, as: T.self)
    }

    /// The value of a transformable attribute as one of a type, as ``transformedValue(forKey:as:)`` returns
    /// it. `nil`, and a call of ``ManagedObjectContext/faultFailureHandler``, if it cannot be read.
    ///
    /// - Precondition: the calling thread is in a turn of the object's context, and the slot is one of the
    ///   entity's and of a transformable attribute.
    public final func transformedValue<T>(
        at slot: ClassSlot, as type: T.Type = T.self
    ) -> T? {
        guard let data = data(at: slot), let attribute = transformable(at: slot) else { return nil }
        do throws(GraphError) {
            return try AttributeTransformer(of: attribute, in: entity).value(of: data, as: T.self)
        } catch {
            report(error)
            return nil
        }
    }

    /// Sets a transformable attribute to a value that its transformer takes, or to nil.
    ///
    /// - Precondition: the calling thread is in a turn of the object's context, and the slot is one of the
    ///   entity's and of a transformable attribute.
    /// - Throws: `.transformation`, `.objectGone`, `.store`.
    public final func setTransformedValue<T>(_ value: T?, at slot: ClassSlot) throws(GraphError) {
        checkTurnToChange()
        let layoutSlot = knownLayoutSlot(of: slot)
        guard let value else { return try write(.null, at: layoutSlot.rowSlot) }
        guard let attribute = transformable(at: slot) else {
            throw wrongType(
                kind.layout.property(at: layoutSlot).name, expected: "no transformed value",
                found: "\(T.self)")
        }
        let current = try self.value(at: layoutSlot.rowSlot)
        try write(try transformed(value, attribute, current), at: layoutSlot.rowSlot)
    }

    private final func transformable(at slot: ClassSlot) -> Attribute? {
        guard
            case .attribute(let attribute) = kind.layout.property(at: knownLayoutSlot(of: slot)),
            attribute.type == .transformable
        else { return nil }
        return attribute
    }

    // MARK: Steps

    /// An attribute's value as ``value(forKey:)`` returns it.
    ///
    /// - Throws: `.transformation`.
    final func shown(_ value: Value, of binding: AttributeBinding) throws(GraphError) -> Any? {
        guard binding.isTransformable, case .transformable(let data) = value else {
            return value.anyValue
        }
        return try AttributeTransformer(of: binding.attribute, in: entity).value(of: data)
    }

    /// A Swift value as the attribute stores it. A ``CairnModel/Value`` is taken as it is.
    ///
    /// - Throws: `.wrongType`, `.transformation`; `.objectGone` and `.store` of a transformable attribute,
    ///   whose current value is compared with the new one.
    final func stored(_ value: Any?, of binding: AttributeBinding) throws(GraphError) -> Value {
        if binding.isTransformable, let value, !(value is Value), !Optional(value).isNothing {
            return try transformed(value, binding.attribute, try current(of: binding))
        }
        guard let converted = Value(any: value, for: binding.attribute) else {
            throw misfit(value, for: binding)
        }
        return converted
    }

    private final func transformed(
        _ value: Any, _ attribute: Attribute, _ current: Value
    ) throws(GraphError) -> Value {
        var stored: Data?
        if case .transformable(let data) = current { stored = data }
        return .transformable(
            try AttributeTransformer(of: attribute, in: entity).data(of: value, current: stored))
    }

    /// The attribute's value; nobody is told that it is read.
    private final func current(of binding: AttributeBinding) throws(GraphError) -> Value {
        switch binding.storage {
        case .row(let slot): try value(at: slot)
        case .object(let slot): extraValue(at: slot)
        case .none: .null
        }
    }
}
