import CairnModel
import Foundation

extension PersistentStore {
    /// Returns what identifies an object in this store: a number, a text or a UUID.
    ///
    /// Returns `nil` for an object of another store, for a temporary ID, and for a new object whose
    /// reference is not known before it is saved.
    public func referenceObject(for id: ObjectID) -> ReferenceObject? {
        guard id.store == number else { return nil }
        guard let references = StoreDirectory.shared.references(of: number) else {
            return .number(id.key)
        }
        return references.referenceObject(for: id)
    }

    /// Returns the ID of the object that a reference identifies. Whether the object exists is not
    /// checked.
    ///
    /// A reference that this process has not seen before gets a number, which takes memory for as long
    /// as the process runs: see ``ReferenceTable``.
    ///
    /// Returns `nil` if objects of the entity are identified by something else, or if there is no number
    /// left.
    public func objectID(
        for entity: Entity, referenceObject reference: ReferenceObject
    ) -> ObjectID? {
        let root = entity.rootEntity.number
        let table = StoreDirectory.shared.references(of: number)?.table(of: root)
        guard reference.kind == table?.kind else { return nil }
        let key: Int64? =
            if case .number(let number) = reference { number } else {
                try? table?.intern([reference]).first
            }
        return key.map { ObjectID(store: number, rootEntity: root, entity: entity.number, key: $0) }
    }

    /// Returns the ID that a URI stands for. Whether the object exists is not checked.
    ///
    /// Returns `nil` for the URI of a temporary ID or of an entity that the model does not have, and if
    /// the reference in it is not of the kind that identifies the entity's objects. Does not compare the
    /// store's identifier. See ``objectID(for:referenceObject:)`` for the cost.
    public func objectID(for uri: ObjectURI) -> ObjectID? {
        guard let text = uri.keyText, let entity = request.model.entity(named: uri.entityName)
        else { return nil }
        let table = StoreDirectory.shared.references(of: number)?
            .table(of: entity.rootEntity.number)
        let reference =
            if let table { ReferenceObject(uriText: text, kind: table.kind) } else {
                uri.key.map(ReferenceObject.number)
            }
        return reference.flatMap { objectID(for: entity, referenceObject: $0) }
    }
}
