import Cairn
import CairnTestSupport
import Foundation
import GraphSupport

/// Stores of different engines with objects of every form of relationship, to move between them.
final class MoveStack: Sendable {
    /// Every engine with every other one, and with itself.
    static let pairs = everyEngine.flatMap { from in everyEngine.map { [from, $0] } }
    /// Each engine with the next one, in one direction.
    static let neighbours = everyEngine.indices.map { index in
        [everyEngine[index], everyEngine[(index + 1) % everyEngine.count]]
    }

    let folder: TemporaryFolder
    let coordinator: PersistentStoreCoordinator
    let stores: [any PersistentStore]

    init(
        _ types: [StoreType], in folder: TemporaryFolder? = nil, options: [StoreOptions] = []
    ) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        var description = ModelDescription(Self.entities)
        description.configurations = ["All": Self.entities.map(\.name), "Shelves": ["Shelf"]]
        coordinator = PersistentStoreCoordinator(
            managedObjectModel: try ManagedObjectModel(description))
        var stores: [any PersistentStore] = []
        for (index, type) in types.enumerated() {
            stores.append(
                try coordinator.addPersistentStore(
                    ofType: type, configurationName: index < 2 ? nil : "Shelves",
                    at: folder.url(of: type, "\(index).store"),
                    options: index < options.count ? options[index] : [:]))
        }
        self.stores = stores
    }

    private static func binary(_ name: String) -> PropertyDescription {
        var attribute = AttributeDescription(name, .binary)
        attribute.allowsExternalBinaryDataStorage = true
        return .attribute(attribute)
    }

    private static func derived(
        _ name: String, _ type: AttributeType, _ expression: String
    ) -> PropertyDescription {
        var attribute = AttributeDescription(name, type)
        attribute.derivation = Derivation(expression: expression)
        return .attribute(attribute)
    }

    private static var note: PropertyDescription {
        var relationship = RelationshipDescription.toOne("favourite", "Tag")
        relationship.isTransient = true
        return .relationship(relationship)
    }

    private static let entities: [EntityDescription] = {
        var item = EntityDescription(
            "Item",
            [
                .attribute("name", .string), .attribute("code", .string), binary("scan"),
                derived("search", .string, "canonical:(name)"),
                derived("partCount", .integer64, "parts.@count"), note,
                .toMany("parts", "Part", inverse: "item", deleteRule: .cascade),
                .toMany(
                    "pages", "Page", inverse: "item", isOrdered: true, deleteRule: .cascade),
                .toOne("cover", "Cover", inverse: "item", deleteRule: .cascade),
                .toMany("tags", "Tag", inverse: "items", isOrdered: true),
                .toOne("shelf", "Shelf", inverse: "items"),
            ])
        item.uniquenessConstraints = [["code"]]
        return [
            item,
            EntityDescription(
                "Part",
                [
                    .attribute("name", .string), .toOne("item", "Item", inverse: "parts"),
                    .toMany("bolts", "Bolt", inverse: "part", deleteRule: .cascade),
                ]),
            EntityDescription("BigPart", superentity: "Part", [.attribute("size", .integer64)]),
            EntityDescription(
                "Bolt", [.attribute("name", .string), .toOne("part", "Part", inverse: "bolts")]),
            EntityDescription(
                "Page", [.attribute("name", .string), .toOne("item", "Item", inverse: "pages")]),
            EntityDescription(
                "Cover", [.attribute("name", .string), .toOne("item", "Item", inverse: "cover")]),
            EntityDescription(
                "Tag",
                [
                    .attribute("name", .string),
                    .toMany("items", "Item", inverse: "tags", isOrdered: true),
                ]),
            EntityDescription(
                "Shelf", [.attribute("name", .string), .toMany("items", "Item", inverse: "shelf")]),
            EntityDescription(
                "Pin",
                [
                    .attribute("name", .string), .toOne("target", "Item"),
                    .toMany("marks", "Part"),
                ]),
        ]
    }()

    /// Larger than what engines keep in a row.
    static let scan = Data((0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) })

    @discardableResult
    func inContext<Result: Sendable>(
        _ body: @Sendable (ManagedObjectContext) throws -> Result
    ) throws -> Result {
        try ContextHandle(coordinator: coordinator).performAndWait(body)
    }

    /// Saves an item with parts, bolts, pages, a cover and two tags in the first store.
    func fill() throws {
        try inContext { context in
            let item = try context.insert(
                "Item", ["name": "Épée", "code": "1", "scan": Self.scan])
            let parts = [try context.insert("Part", ["name": "a"]), try context.insert("BigPart")]
            try parts[1].setValue("b", forKey: "name")
            try parts[1].setValue(7, forKey: "size")
            for part in parts {
                try part.setValue(item, forKey: "item")
                try context.insert("Bolt", ["name": "bolt"]).setValue(part, forKey: "part")
            }
            try item.orderedObjects("pages").replaceAll(
                with: ["3", "1", "2"].map { try context.insert("Page", ["name": $0]) })
            try item.setValue(try context.insert("Cover", ["name": "red"]), forKey: "cover")
            try item.orderedObjects("tags").replaceAll(
                with: ["y", "x"].map { try context.insert("Tag", ["name": $0]) })
            for object in context.insertedObjects { try context.assign(object, to: stores[0]) }
            try context.save()
        }
    }

    /// Returns everything that a store contains, as a new context reads it.
    func content(of index: Int) throws -> [String] {
        try inContext { context in
            var lines: [String] = []
            for entity in context.managedObjectModel.entities where entity.superentity == nil {
                var request = FetchRequest<ManagedObject>(entity.name)
                request.affectedStores = [stores[index]]
                let objects: [ManagedObject]
                do {
                    objects = Array(try context.fetch(request))
                } catch GraphError.noStore {
                    continue
                }
                lines += try objects.map(Self.line).sorted()
            }
            return lines
        }
    }

    private static func line(_ object: ManagedObject) throws -> String {
        var words = [object.entity.name]
        for attribute in object.entity.attributes.map(\.name).sorted() {
            let value = try object.value(forKey: attribute)
            let text = (value as? Data).map { "\($0 == scan)" } ?? value.map { "\($0)" }
            words.append("\(attribute)=\(text ?? "nil")")
        }
        for relationship in object.entity.relationships.sorted(by: { $0.name < $1.name })
        where !relationship.isTransient {
            if relationship.isToMany {
                let members = try object.names(relationship.name, "name")
                words.append("\(relationship.name)=\(members.joined())")
            } else {
                let other = try object.value(forKey: relationship.name) as? ManagedObject
                words.append("\(relationship.name)=\(try other?.value(forKey: "name") ?? "nil")")
            }
        }
        return words.joined(separator: " ")
    }

    func close() throws {
        for store in coordinator.persistentStores { try coordinator.remove(store) }
    }
}

extension ManagedObjectContext {
    /// Moves the item and its tags to a store.
    @discardableResult
    func moveItem(to store: any PersistentStore) throws -> ManagedObject {
        let item = try only("Item")
        try move([item] + Array(item.orderedObjects("tags")), to: store)
        return item
    }
}
