import Cairn
import MigrationSupport

/// What the program gives for a change of a model, and a prediction of the result.
struct MigrationRules {
    private let change: MigrationChange
    private let old: ManagedObjectModel
    private let new: ManagedObjectModel
    private let inferred: MigrationOracle

    init(of change: MigrationChange) throws {
        self.change = change
        (old, new) = try change.versions
        inferred = MigrationOracle(from: old, to: new)
    }

    /// Returns the versions, the mapping model and the code.
    func history() throws -> ModelHistory {
        var history = ModelHistory(
            versions: [.init(name: "1", model: old), .init(name: "2", model: new)])
        switch change {
        case .mapping:
            history.add(try mapping(), named: "Books", from: old, to: new)
            history.register(OriginPolicy.self, as: "OriginPolicy")
        case .code, .split:
            if change == .code {
                history.addStage(from: old, to: new) { context in
                    try Self.mark(context, "Tag", "word")
                } didMigrate: { context in
                    try Self.mark(context, "Author", "name")
                }
            }
            history.migrate("Book", to: new) { old, new in
                let title = try old.value(forKey: "title")
                try new.setValue(title, forKey: "isbn")
                let note = try new.managedObjectContext?.insertNewObject(forEntityName: "Note")
                try note?.setValue(title, forKey: "text")
                try note?.setValue(old.objectID.key, forKey: "origin")
            }
        default: break
        }
        return history
    }

    private static func mark(
        _ context: ManagedObjectContext, _ entity: String, _ attribute: String
    ) throws {
        for object in try context.fetch(FetchRequest<ManagedObject>(entity)) {
            let text = try object.value(forKey: attribute) as? String ?? ""
            try object.setValue(text + Self.mark, forKey: attribute)
        }
    }

    /// What code appends to texts.
    private static let mark = ", seen"

    private func mapping() throws -> MappingModel {
        func values(_ names: [String: String]) throws -> [PropertyMapping] {
            try names.map { PropertyMapping($0, try FetchExpression(format: "$source.\($1)")) }
        }
        func objects(_ mapping: String, _ name: String) throws -> PropertyMapping {
            PropertyMapping(
                name,
                try FetchExpression(
                    format: """
                        FUNCTION($manager, "destinationInstancesForEntityMappingNamed:sourceInstances:", \
                        "\(mapping)", $source.\(name))
                        """))
        }
        return MappingModel([
            EntityMapping(
                "Authors", from: "Author", to: "Author", attributes: try values(["name": "name"])),
            EntityMapping(
                "Books", from: "Book", to: "Book",
                attributes: try values(["heading": "title", "cover": "cover", "pages": "pages"]),
                relationships: [try objects("Authors", "author"), try objects("Tags", "tags")],
                policy: "OriginPolicy"),
            EntityMapping("Tags", from: "Tag", to: "Tag", attributes: try values(["word": "word"])),
        ])
    }

    // MARK: Predicting

    /// Returns the objects after the migration, as far as they can be compared.
    func migrated(_ before: StoreImage) throws -> StoreImage {
        var result: StoreImage
        switch change {
        case .mapping:
            // The samples' stores have given 1,000 keys.
            result = MappingOracle(try mapping(), from: old, to: new, nextKey: 1001).migrated(
                before)
            // The policy makes objects with new keys, in the order of the old ones.
            let made = result.objects.keys.filter { $0.entity == "Book" }.sorted()
            let read = before.objects.keys.filter { $0.entity == "Book" }.map(\.key).sorted()
            for (id, key) in zip(made, read) {
                result.objects[id]?.values["origin"] = .integer(key)
            }
        case .code, .split:
            result = inferred.migrated(before)
            for (id, object) in result.objects {
                switch id.entity {
                case "Book":
                    result.objects[id]?.values["isbn"] = object.values["title"]
                    var note = StoreImage.Object(version: 1)
                    note.values["text"] = object.values["title"]
                    result.objects[StoreImage.ID(entity: "Note", key: id.key)] = note
                case "Tag" where change == .code:
                    result.objects[id]?.mark("word", with: Self.mark)
                case "Author" where change == .code:
                    result.objects[id]?.mark("name", with: Self.mark)
                default: break
                }
            }
        default: return inferred.migrated(before)
        }
        return comparable(result)
    }

    /// Returns an image without what cannot be predicted. Objects that a policy or code made get the keys of the
    /// old objects for which they were made.
    func comparable(_ image: StoreImage) -> StoreImage {
        var image = inferred.comparable(image)
        if change.allowsInPlace { return image }
        var names: [StoreImage.ID: StoreImage.ID] = [:]
        for (id, object) in image.objects {
            guard case .integer(let key)? = object.values["origin"] else { continue }
            names[id] = StoreImage.ID(entity: id.entity, key: key)
        }
        image = image.renamed(names, of: new)
        for id in image.objects.keys {
            image.objects[id]?.values["origin"] = nil
            image.objects[id]?.version = 1
        }
        return image
    }
}

/// Notes the old object for which each object is made.
private final class OriginPolicy: EntityMigrationPolicy {
    override func createDestinationInstances(
        forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager
    ) throws {
        try super.createDestinationInstances(forSource: source, in: mapping, manager: manager)
        let made = manager.destinationInstances(
            forEntityMappingName: mapping.name, sourceInstances: [source])
        for object in made { try object.setValue(source.objectID.key, forKey: "origin") }
    }
}

extension StoreImage.Object {
    fileprivate mutating func mark(_ name: String, with mark: String) {
        var text = ""
        if case .string(let value)? = values[name] { text = value }
        values[name] = .string(text + mark)
    }
}

extension StoreImage {
    /// Returns the image with other IDs for some objects of a model.
    fileprivate func renamed(_ names: [ID: ID], of model: ManagedObjectModel) -> StoreImage {
        func renamed(_ id: ID) -> ID { names[id] ?? id }
        var result = StoreImage()
        for (id, object) in objects {
            var copy = object
            copy.toOnes = object.toOnes.mapValues(renamed)
            for (name, members) in object.toManys {
                let new = members.map(renamed)
                // Members of unordered relationships are sorted.
                let relationship = model.entity(named: id.entity)?.relationship(named: name)
                copy.toManys[name] = relationship?.isOrdered ?? false ? new : new.sorted()
            }
            result.objects[renamed(id)] = copy
        }
        return result
    }
}
