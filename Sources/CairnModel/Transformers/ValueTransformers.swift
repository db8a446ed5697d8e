import Synchronization

/// The registry of the process's transformers, by name. It corresponds to the class methods of
/// Foundation's `ValueTransformer`.
///
/// A transformer is looked up each time an attribute's value is read or set, so it can be registered at
/// any time. All methods can be called on any thread.
public enum ValueTransformers {
    private static let builtIn: [ValueTransformerName: any ValueTransformer] = [
        .secureUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
        .keyedUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
    ]

    private static let registered = Mutex(builtIn)

    /// Registers a transformer for all attributes with this transformer name in the model.
    ///
    /// - Parameters:
    ///   - transformer: The transformer, which replaces a registered transformer of this name. `nil`
    ///     removes the registration; for a built-in name, it restores the built-in transformer.
    ///   - name: The name that attributes use for the transformer in the model.
    public static func setValueTransformer(
        _ transformer: (any ValueTransformer)?, forName name: ValueTransformerName
    ) {
        registered.withLock { $0[name] = transformer ?? builtIn[name] }
    }

    /// Returns the transformer that is registered under a name, or `nil` if the name is not registered.
    public static func valueTransformer(
        forName name: ValueTransformerName
    ) -> (any ValueTransformer)? {
        registered.withLock { $0[name] }
    }

    /// The names of all transformers, including the built-in ones, in alphabetical order.
    public static var valueTransformerNames: [ValueTransformerName] {
        registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the attributes of a model whose transformers are not registered, in the order of the
    /// model's entities. An attribute that subentities inherit is listed once.
    ///
    /// The values of these attributes are read as `Data`, the stored bytes. Call this when a program
    /// starts, to check that all transformers are registered.
    package static func unregistered(in model: ManagedObjectModel) -> [UnregisteredTransformer] {
        let known = registered.withLock { Set($0.keys) }
        return model.entities.flatMap { entity in
            entity.ownProperties.compactMap { property in
                guard case .attribute(let attribute) = property,
                    attribute.type == .transformable
                else { return nil }
                let name = ValueTransformerName(of: attribute)
                guard !known.contains(name) else { return nil }
                return UnregisteredTransformer(
                    entity: entity.name, attribute: attribute.name, transformer: name)
            }
        }
    }
}
