import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and adds it, using the name of its engine and Core Data's form of options.
    ///
    /// - Parameters:
    ///   - type: The name of the engine, such as ``SQLiteStoreType`` or ``InMemoryStoreType``.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - url: The store's file, or the address of a service. `nil` means that the store is only in
    ///     memory.
    ///   - options: The options, under Core Data's names or Cairn's. Unsupported options are refused.
    /// - Throws: The same errors as ``addPersistentStore(ofType:configurationName:at:options:)``; also
    ///   `.store(.invalidOption)` for a value whose type no option has.
    @_disfavoredOverload @discardableResult
    public func addPersistentStore(
        ofType type: String, configurationName configuration: String?, at url: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws(GraphError) -> any PersistentStore {
        try addPersistentStore(
            ofType: StoreType(type), configurationName: configuration, at: url, options: options)
    }

    /// Opens a store and adds it, using Core Data's form of options.
    ///
    /// - Parameters:
    ///   - type: The engine of the store.
    ///   - configuration: The name of the configuration whose entities the store holds. `nil` means all
    ///     entities.
    ///   - url: The store's file, or the address of a service. `nil` means that the store is only in
    ///     memory.
    ///   - options: The options, under Core Data's names or Cairn's. Unsupported options are refused.
    ///     `nil` means no options.
    /// - Throws: The same errors as ``addPersistentStore(ofType:configurationName:at:options:)``; also
    ///   `.store(.invalidOption)` for a value whose type no option has.
    @_disfavoredOverload @discardableResult
    public func addPersistentStore(
        ofType type: StoreType, configurationName configuration: String?, at url: URL?,
        options: [AnyHashable: Any]?
    ) throws(GraphError) -> any PersistentStore {
        let known: StoreOptions
        do throws(StoreError) {
            known = try StoreOptions(coreData: options ?? [:])
        } catch {
            throw GraphError(ofStore: error)
        }
        return try addPersistentStore(
            ofType: type, configurationName: configuration, at: url, options: known)
    }
}
