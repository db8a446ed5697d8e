import CairnModel
import Synchronization

/// The transformers of the process, by name: what `ValueTransformer`'s class methods are in Foundation.
///
/// A transformer is looked up each time that an attribute's value is read or set, so one may be
/// registered at any time. Safe from any thread.
public enum ValueTransformers {
    private static let builtIn: [ValueTransformerName: any ValueTransformer] = [
        .secureUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
        .keyedUnarchiveFromDataTransformerName:
            SecureUnarchiveFromDataTransformer<ArchivableValue>(),
    ]

    private static let registered = Mutex(builtIn)

    /// Registers a transformer for all attributes whose model gives it this name.
    ///
    /// - Parameter transformer: replaces one that has the name already. `nil` removes it; a built-in name
    ///   gets its built-in transformer back.
    public static func setValueTransformer(
        _ transformer: (any ValueTransformer)?, forName name: ValueTransformerName
    ) {
        registered.withLock { $0[name] = transformer ?? builtIn[name] }
    }

    /// Returns the transformer of that name. Returns `nil` if none is registered.
    public static func valueTransformer(
        forName name: ValueTransformerName
    ) -> (any ValueTransformer)? {
        registered.withLock { $0[name] }
    }

    /// The names of all transformers, the built-in ones included, in alphabetical order.
    public static var valueTransformerNames: [ValueTransformerName] {
        registered.withLock { Array($0.keys) }.sorted { $0.rawValue < $1.rawValue }
    }

    /// Returns the attributes of a model whose transformers are not registered, in the order of the
    /// model's entities. An attribute that subentities inherit is listed once.
    ///
    /// The values of these attributes are read as `Data`, the bytes that the store keeps. Ask when a program
    /// starts, to find a transformer that it forgot to register.
    public static func unregistered(in model: ManagedObjectModel) -> [UnregisteredTransformer] {
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
