import CairnModel
import CairnStack
import Foundation

extension ObjectIDChanges {
    /// Reads the changes from a notification's user info, which contains objects, IDs or URIs of IDs.
    ///
    /// - Parameter resolve: Returns the ID for a URI, or `nil` if the URI belongs to another store.
    init(userInfo: [AnyHashable: Any], resolving resolve: (URL) -> ObjectID? = { _ in nil }) {
        typealias Key = ManagedObjectContext.NotificationKey
        func ids(_ keys: Key...) -> Set<ObjectID> {
            var ids: Set<ObjectID> = []
            for key in keys {
                switch userInfo[key.rawValue] {
                case let objects as Set<ManagedObject>: ids.formUnion(objects.map(\.objectID))
                case let found as Set<ObjectID>: ids.formUnion(found)
                case let found as [ObjectID]: ids.formUnion(found)
                case let uris as Set<URL>: ids.formUnion(uris.compactMap(resolve))
                case let uris as [URL]: ids.formUnion(uris.compactMap(resolve))
                default: break
                }
            }
            return ids
        }
        self.init()
        inserted = ids(.insertedObjects, .insertedObjectIDs)
        updated = ids(.updatedObjects, .updatedObjectIDs)
        deleted = ids(.deletedObjects, .deletedObjectIDs)
        refreshed = ids(.refreshedObjects, .refreshedObjectIDs)
        invalidated = ids(.invalidatedObjects, .invalidatedObjectIDs)
    }
}
