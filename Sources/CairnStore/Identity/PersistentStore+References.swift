import CairnModel
import Foundation

extension PersistentStore {
    /// Returns the number, text or UUID that identifies an object in this store.
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

    /// Returns the ID of the object that a reference identifies. Does not check whether the object
    /// exists.
    ///
    /// A reference that is new to this process gets a number, which takes memory for as long as the
    /// process runs: see ``ReferenceTable``.
    ///
    /// Returns `nil` if objects of the entity are identified by another kind of reference, or if no
    /// number is left.
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

    /// Returns the ID that a URI stands for. Does not check whether the object exists, and does not
    /// compare the store's identifier.
    ///
    /// Returns `nil` if the URI is that of a temporary ID, if the model does not have the entity,
    /// or if the entity's objects are identified by another kind of reference. See
    /// ``objectID(for:referenceObject:)`` for the cost.
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
