import Foundation

/// The transformer of an attribute that is registered when this is created.
package struct AttributeTransformer {
    private let entity: String
    private let attribute: String
    private let name: ValueTransformerName
    private let transformer: (any ValueTransformer)?

    /// - Parameter entity: The entity of the object whose value is read or set.
    package init(of attribute: Attribute, in entity: Entity) {
        self.entity = entity.name
        self.attribute = attribute.name
        name = ValueTransformerName(of: attribute)
        transformer = ValueTransformers.valueTransformer(forName: name)
    }

    // MARK: Reading

    /// Returns the value that the bytes represent. Returns the bytes themselves if no transformer is
    /// registered.
    package func value(of data: Data) throws(TransformationFailure) -> Any? {
        guard let transformer else { return data }
        let value = try read(data, with: transformer)
        if let archived = value as? ArchivableValue { return archived.anyValue }
        return value
    }

    /// Returns the value that the bytes represent, as a value of a type.
    ///
    /// - Throws: An error also if no transformer is registered.
    package func value<Wanted>(of data: Data, as type: Wanted.Type) throws(TransformationFailure)
        -> Wanted
    {
        guard let transformer else { throw failure(.reading, .notRegistered) }
        let value = try read(data, with: transformer)
        guard let wanted = Self.converted(value, to: Wanted.self) else {
            throw failure(
                .reading,
                .wrongType(
                    expected: "\(Swift.type(of: value))", found: "\(Wanted.self)"))
        }
        return wanted
    }

    private func read<Transformer: ValueTransformer>(
        _ data: Data, with transformer: Transformer
    ) throws(TransformationFailure) -> any Equatable {
        do {
            return try transformer.value(from: data)
        } catch {
            throw failure(.reading, .failed(error))
        }
    }

    // MARK: Writing

    /// Returns the bytes to store for a value.
    ///
    /// - Parameter current: The stored bytes. They are returned if they represent an equal value. Setting
    ///   an equal value is therefore not a change, even if another program archived it differently.
    /// - Throws: An error also if no transformer is registered and the value is not `Data`.
    package func data(of value: Any, current: Data?) throws(TransformationFailure) -> Data {
        guard let transformer else {
            guard let data = value as? Data else { throw failure(.writing, .notRegistered) }
            return data
        }
        return try write(value, with: transformer, current)
    }

    private func write<Transformer: ValueTransformer>(
        _ value: Any, with transformer: Transformer, _ current: Data?
    ) throws(TransformationFailure) -> Data {
        guard let typed = Self.converted(value, to: Transformer.TransformedValue.self),
            (typed as? ArchivableValue) != .null
        else {
            throw failure(
                .writing,
                .wrongType(
                    expected: "\(Transformer.TransformedValue.self)",
                    found: "\(Swift.type(of: value))"))
        }
        let data: Data
        do {
            data = try transformer.data(from: typed)
        } catch {
            throw failure(.writing, .failed(error))
        }
        guard let current, current != data, let stored = try? transformer.value(from: current),
            stored == typed
        else { return data }
        return current
    }

    // MARK: Types

    /// Returns a value as a value of a type: unchanged if it has this type, otherwise converted from the
    /// value that an archive would hold.
    private static func converted<Wanted>(_ value: Any, to type: Wanted.Type) -> Wanted? {
        if Wanted.self != ArchivableValue.self, let wanted = value as? Wanted { return wanted }
        guard let convertible = Wanted.self as? any ArchiveConvertible.Type,
            let archived = ArchivableValue(any: value)
        else { return nil }
        return convertible.init(archivable: archived) as? Wanted
    }

    private func failure(
        _ direction: TransformationFailure.Direction, _ reason: TransformationFailure.Reason
    ) -> TransformationFailure {
        TransformationFailure(
            entity: entity, attribute: attribute, transformer: name, direction: direction,
            reason: reason)
    }
}
