import CairnModel
import Foundation

/// A store in the form in which SwiftData stores Codable values: its tables, rows and archived model are
/// made with plain SQL, without the code that writes stores and models.
///
/// No sample of SwiftData may be handed over, so this follows the description of one
/// (docs/formats/sqlite.md).
package struct SwiftDataStore {
    package let url: URL

    package static let rowCount = 4

    /// The recorded hash of the entity with composites. It is arbitrary, because Core Data's formula for such
    /// entities is not known.
    package static let recipeHash = Data(repeating: 1, count: 32)

    /// Creates the store, whose recipes have different composites and enums, and are not all complete.
    package init(at url: URL) throws {
        self.url = url
        let sql = try PlainSQL(url, creates: true)
        for statement in Self.tables { _ = try sql.rows(statement) }
        let step = EntityDescription(
            "Step", [.attribute("text", .string), .toOne("recipe", "Recipe", inverse: "steps")])
        let recipe = EntityDescription("Recipe", [.toMany("steps", "Step", inverse: "recipe")])
        let hash = try ManagedObjectModel([step, recipe]).entityVersionHashes["Step"]
        let hashes = ["Recipe": Self.recipeHash, "Step": hash?.data ?? Data()]
        let metadata = try PropertyListSerialization.data(
            fromPropertyList: [
                "NSStoreType": "SQLite", "NSStoreModelVersionHashes": hashes,
                "NSStoreModelVersionHashesVersion": 3, "NSPersistenceFrameworkVersion": 1414,
            ] as [String: Any], format: .binary, options: 0)
        let identifier = UUID().uuidString
        _ = try sql.rows(
            "INSERT INTO Z_METADATA VALUES (1, '\(identifier)', x'\(metadata.hexadecimal)')")
        let model = Self.storedDeflate(Self.archivedModel())
        _ = try sql.rows("INSERT INTO Z_MODELCACHE VALUES (x'\(model.hexadecimal)')")
        for statement in Self.rows { _ = try sql.rows(statement) }
    }

    /// Where two elements and an attribute have the same name, the columns are numbered in the order of the
    /// attributes: `author.id`, `id`, `prep.id`.
    private static let tables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
        """
        CREATE TABLE ZRECIPE ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZLEVEL INTEGER, \
        ZFAILED INTEGER, ZMINUTES FLOAT, ZID VARCHAR, ZPERSON VARCHAR, ZID1 VARCHAR, ZKIND VARCHAR, \
        ZDONE VARCHAR, ZID2 VARCHAR, ZTITLE VARCHAR, ZTAGS BLOB )
        """,
        """
        CREATE TABLE ZSTEP ( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZRECIPE INTEGER, \
        ZTEXT VARCHAR )
        """,
        "CREATE INDEX ZSTEP_ZRECIPE_INDEX ON ZSTEP (ZRECIPE)",
    ]

    private static let rows = [
        "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Recipe', 0, 3), (2, 'Step', 0, 1)",
        """
        INSERT INTO ZRECIPE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZID, ZPERSON, ZTAGS, ZID1, ZKIND, ZLEVEL, ZDONE, \
        ZID2, ZMINUTES) VALUES (1, 1, 1, 'Soup', 'author 1', 'Ada', CAST('["warm"]' AS BLOB), 'recipe 1', \
        'starter', 2, 'eaten', 'prep 1', 12.5)
        """,
        """
        INSERT INTO ZRECIPE (Z_PK, Z_ENT, Z_OPT, ZTITLE, ZID1, ZKIND, ZLEVEL, ZFAILED, ZID2) \
        VALUES (2, 1, 4, 'Cake', 'recipe 2', 'dessert', 3, 7, 'prep 2')
        """,
        "INSERT INTO ZRECIPE (Z_PK, Z_ENT, Z_OPT, ZTITLE) VALUES (3, 1, 1, 'Secret')",
        "INSERT INTO ZSTEP VALUES (1, 2, 1, 1, 'Boil it.')",
    ]

    // MARK: The archived model

    private static func archivedModel() -> [UInt8] {
        var archive = ModelArchiveWriter()
        return archive.write()
    }

    /// Packs bytes as raw deflate without compressing them.
    private static func storedDeflate(_ bytes: [UInt8]) -> Data {
        var packed: [UInt8] = []
        var start = 0
        repeat {
            let end = min(start + 0xffff, bytes.count)
            let count = UInt16(end - start)
            packed.append(end == bytes.count ? 1 : 0)
            for word in [count, ~count] { packed += [UInt8(word & 0xff), UInt8(word >> 8)] }
            packed += bytes[start..<end]
            start = end
        } while start < bytes.count
        return Data(packed)
    }
}

/// Writes the model of the store, object by object.
private struct ModelArchiveWriter {
    private typealias Node = BinaryPropertyList.Node

    private var builder = KeyedArchiveBuilder()

    mutating func write() -> [UInt8] {
        let (recipe, step) = (builder.reserve(), builder.reserve())
        let (steps, owner) = (builder.reserve(), builder.reserve())
        let string = (700, "NSString")
        let integer = (300, "NSNumber")
        let enumInfo = dictionary(["EnumType": builder.add(node: .boolean(true))])
        let outcomeInfo = dictionary([
            "EnumType": builder.add(node: .boolean(true)),
            "enum": builder.add(list: [text("done"), text("failed")]),
        ])
        fill(
            recipe, "Recipe",
            [
                "author": composite(
                    "author",
                    [("id", string), ("person", string), ("tags", (1000, "NSData"))], of: recipe),
                "id": attribute("id", string, of: recipe),
                "kind": composite("kind", [("kind", string)], of: recipe, enumInfo),
                "level": composite("level", [("level", integer)], of: recipe, enumInfo),
                "outcome": composite(
                    "outcome", [("done", string), ("failed", integer)], of: recipe, outcomeInfo),
                "prep": composite(
                    "prep", [("id", string), ("minutes", (500, "NSNumber"))], of: recipe),
                "title": attribute("title", string, of: recipe), "steps": steps,
            ])
        fill(step, "Step", ["recipe": owner, "text": attribute("text", string, of: step)])
        let isOptional: [(String, Node)] = [("NSIsOptional", .boolean(true))]
        fillRelationship(
            steps, "steps", of: recipe, to: (step, "Step"), owner, "recipe", maximum: 0)
        fillRelationship(
            owner, "recipe", of: step, to: (recipe, "Recipe"), steps, "steps", maximum: 1,
            isOptional)
        let entities = dictionary(["Recipe": recipe, "Step": step])
        let model = builder.add(
            "NSManagedObjectModel",
            [
                ("NSEntities", .reference(entities)), ("NSFetchRequestTemplates", .reference(0)),
                ("NSVersionIdentifiers", .reference(builder.add(list: [], as: "NSSet"))),
            ])
        return builder.finish(root: model)
    }

    private mutating func text(_ text: String) -> Int { builder.add(plain: .string(text)) }

    private mutating func dictionary(_ entries: [String: Int]) -> Int {
        let sorted = entries.sorted { $0.key < $1.key }
        return builder.add(
            dictionary: sorted.map { (key: text($0.key), value: $0.value) },
            as: "NSMutableDictionary")
    }

    private mutating func fill(_ number: Int, _ name: String, _ properties: [String: Int]) {
        builder.fill(
            number, "NSEntityDescription",
            [
                ("NSEntityName", .reference(text(name))),
                ("NSClassNameForEntity", .reference(text(name))),
                ("NSSuperentity", .reference(0)), ("NSRenamingIdentifier", .reference(text(name))),
                ("NSProperties", .reference(dictionary(properties))),
            ])
    }

    private mutating func common(_ name: String, _ entity: Int?) -> [(String, Node)] {
        var fields: [(String, Node)] = [
            ("NSPropertyName", .reference(text(name))),
            ("NSRenamingIdentifier", .reference(text(name))), ("_P", .integer(0xff)),
        ]
        if let entity { fields.append(("NSEntity", .reference(entity))) }
        return fields
    }

    private mutating func attribute(
        _ name: String, _ type: (number: Int, className: String), of entity: Int?,
        _ more: [(String, Node)] = [], as className: String = "NSAttributeDescription"
    ) -> Int {
        let fields =
            common(name, entity)
            + [
                ("NSIsOptional", .boolean(true)), ("NSAttributeType", .integer(Int64(type.number))),
                ("NSAttributeValueClassName", .reference(text(type.className))),
                ("NSDefaultValue", .reference(0)), ("NSValueTransformerName", .reference(0)),
                ("NSFlagsKey", .integer(0)),
            ]
        return builder.add(className, fields + more)
    }

    private mutating func composite(
        _ name: String, _ elements: [(name: String, type: (Int, String))], of entity: Int,
        _ userInfo: Int? = nil
    ) -> Int {
        var numbers: [Int] = []
        for element in elements { numbers.append(attribute(element.name, element.type, of: nil)) }
        let list = builder.add(list: numbers, as: "NSMutableArray")
        let info: [(String, Node)] = userInfo.map { [("NSUserInfo", .reference($0))] } ?? []
        return attribute(
            name, (2100, "NSDictionary"), of: entity,
            [("NSCompositeElements", .reference(list))] + info,
            as: "NSCompositeAttributeDescription")
    }

    private mutating func fillRelationship(
        _ number: Int, _ name: String, of entity: Int, to destination: (number: Int, name: String),
        _ inverse: Int, _ inverseName: String, maximum: Int64, _ more: [(String, Node)] = []
    ) {
        let fields: [(String, Node)] =
            common(name, entity)
            + [
                ("NSDestinationEntity", .reference(destination.number)),
                ("_NSDestinationEntityName", .reference(text(destination.name))),
                ("NSInverseRelationship", .reference(inverse)),
                ("_NSInverseRelationshipName", .reference(text(inverseName))),
                ("NSDeleteRule", .integer(1)), ("NSMinCount", .integer(0)),
                ("NSMaxCount", .integer(maximum)),
            ]
        builder.fill(number, "NSRelationshipDescription", fields + more)
    }
}

extension Sequence<UInt8> {
    fileprivate var hexadecimal: String {
        map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
