import CairnStore
import Foundation

extension PersistentStoreCoordinator {
    /// Opens a store and adds it, by the name of its engine and with options as Core Data has them.
    ///
    /// - Parameters:
    ///   - type: ``SQLiteStoreType``, ``InMemoryStoreType`` or another engine's name.
    ///   - configuration: whose entities the store holds. `nil` means all.
    ///   - url: the file, or the address at a service. `nil` means in memory only.
    ///   - options: by Core Data's names or by Cairn's. An option that cannot be honoured is refused.
    /// - Throws: as ``addPersistentStore(ofType:configurationName:at:options:)``; `.store(.invalidOption)`
    ///   also for a value that no option has.
    @_disfavoredOverload @discardableResult
    public func addPersistentStore(
        ofType type: String, configurationName configuration: String?, at url: URL?,
        options: [AnyHashable: Any]? = nil
    ) throws(GraphError) -> any PersistentStore {
        try addPersistentStore(
            ofType: StoreType(type), configurationName: configuration, at: url, options: options)
    }

    /// Opens a store and adds it, with options as Core Data has them.
    ///
    /// - Parameter options: by Core Data's names or by Cairn's. An option that cannot be honoured is
    ///   refused. `nil` means none.
    /// - Throws: as ``addPersistentStore(ofType:configurationName:at:options:)``; `.store(.invalidOption)`
    ///   also for a value that no option has.
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
