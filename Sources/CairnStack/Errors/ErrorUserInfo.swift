import CairnModel
import CairnStore
import Foundation

/// The user info of an error, by its keys, which are Core Data's and Foundation's.
///
/// Like the descriptions of errors, it never contains stored values.
struct ErrorUserInfo {
    private(set) var values: [String: Any]

    /// - Parameter description: The value of `localizedDescription`.
    init(_ description: String) {
        values = [NSLocalizedDescriptionKey: description]
    }

    mutating func add(stores locations: [StoreLocation]) {
        values["NSAffectedStoresErrorKey"] = locations.map(Self.name)
        guard locations.count == 1, let url = locations[0].fileURL else { return }
        values[NSURLErrorKey] = url
        values[NSFilePathErrorKey] = url.path
    }

    mutating func add(objects ids: [ObjectID]) {
        values["NSAffectedObjectsErrorKey"] = ids
    }

    /// Adds the entity, and the property if it is not `nil`, under the keys that Core Data uses for
    /// migration errors.
    mutating func add(entity: String, property: String? = nil) {
        values["entity"] = entity
        if let property { values["property"] = property }
    }

    mutating func add(reason: String) {
        values["reason"] = reason
    }

    mutating func add(details errors: [any Error]) {
        values["NSDetailedErrors"] = errors.map { $0 as NSError }
    }

    mutating func add(underlying error: any Error) {
        values[NSUnderlyingErrorKey] = error as NSError
    }

    mutating func add(conflicts: [Any]) {
        values["conflictList"] = conflicts
    }

    mutating func add(_ conflicts: [ReferenceConflict]) {
        add(conflicts: conflicts)
        add(objects: conflicts.flatMap { [$0.object] + $0.members })
    }

    mutating func add(path: String) {
        values[NSFilePathErrorKey] = path
    }

    mutating func add(_ failure: EngineFailure) {
        add(stores: [failure.location])
        add(reason: failure.message)
        if failure.type == "SQLite" { values["NSSQLiteErrorDomain"] = failure.code }
    }

    mutating func add(_ failure: FileFailure) {
        add(path: failure.path)
        add(reason: "\(failure.operation) failed; code = \(failure.code)")
        add(underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(failure.code)))
    }

    /// Adds what a store of another model records about the entities that differ.
    mutating func add(_ differences: [ModelDifference]) {
        let stored = differences.compactMap { difference in
            difference.stored.map { (difference.entity, $0.data) }
        }
        values["metadata"] = [
            "NSStoreModelVersionHashes": Dictionary(stored, uniquingKeysWith: { first, _ in first })
        ]
        add(
            reason: "The model used to open the store is incompatible with the one used to create"
                + " the store")
    }

    /// Adds the rule of the model that an object breaks.
    mutating func add(broken rule: String, by object: ObjectID, property: String?) {
        add(objects: [object])
        values["NSValidationErrorObject"] = object
        values["NSValidationErrorPredicate"] = rule
        if let property { values["NSValidationErrorKey"] = property }
    }

    /// Adds the values of another error, except for those that exist already, such as the description.
    mutating func merge(_ other: ErrorUserInfo) {
        values.merge(other.values) { own, _ in own }
    }

    private static func name(of location: StoreLocation) -> Any {
        switch location {
        case .file(let url): url
        case .memory(let name): name
        case .service(let service): URL(string: service.description) ?? service.description
        }
    }
}
