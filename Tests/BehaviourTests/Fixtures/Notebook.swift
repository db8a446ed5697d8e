import Cairn
import Foundation
import GraphSupport

/// Entities with transformable attributes, each with a different transformer, and stacks that use them.
enum Notebook {
    static func stack(_ type: StoreType) throws -> StudioStack {
        registerTransformers()
        return try StudioStack(type, entities)
    }

    static let entities: [EntityDescription] = [
        EntityDescription(
            "Note",
            [
                .attribute("title", .string), .attribute(transformable("tags", nil)),
                .attribute(transformable("secure", "NSSecureUnarchiveFromData")),
                .attribute(transformable("color", "NotebookColor")),
                .attribute(transformable("words", "NotebookWords")),
                .attribute(transformable("settings", "NotebookSettings")),
                .attribute(transformable("counted", "NotebookCounting")),
                .attribute(transformable("lost", "NotebookLost")),
                .attribute(transient(transformable("draft", nil))),
                .toOne("folder", "Folder", inverse: "notes"), sameTags,
            ]),
        EntityDescription(
            "Folder",
            [.attribute("name", .string), .toMany("notes", "Note", inverse: "folder")]),
    ]

    /// A fetched property whose predicate compares a transformable attribute.
    private static let sameTags: PropertyDescription = {
        let condition: FetchRequestTemplate.Condition
        do {
            condition = .predicate(try FetchPredicate(format: "tags == $FETCH_SOURCE.tags"))
        } catch {
            condition = .unreadable(text: "tags", reason: "\(error)")
        }
        let template = FetchRequestTemplate(entity: "Note", condition: condition)
        return .fetchedProperty(FetchedPropertyDescription("sameTags", template))
    }()

    private static func transformable(_ name: String, _ transformer: String?)
        -> AttributeDescription
    {
        var attribute = AttributeDescription(name, .transformable)
        attribute.valueTransformerName = transformer
        return attribute
    }

    private static func transient(_ attribute: AttributeDescription) -> AttributeDescription {
        var attribute = attribute
        attribute.isTransient = true
        return attribute
    }

    /// Registers the transformers that the tests share. Other suites may register them at the same time.
    private static func registerTransformers() {
        ValueTransformers.setValueTransformer(ColorTransformer(), forName: "NotebookColor")
        ValueTransformers.setValueTransformer(
            SecureUnarchiveFromDataTransformer<[String]>(), forName: "NotebookWords")
        ValueTransformers.setValueTransformer(
            PropertyListTransformer<[String: Double]>(), forName: "NotebookSettings")
    }
}

/// A color. Stores keep it as three bytes.
struct Color: Hashable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8

    static let orange = Color(red: 255, green: 128, blue: 0)
}

struct ColorTransformer: ValueTransformer {
    struct NotThreeBytes: Error {}
    struct TooBlue: Error {}

    func data(from color: Color) throws -> Data {
        if color.blue == 255 { throw TooBlue() }
        return Data([color.red, color.green, color.blue])
    }

    func value(from data: Data) throws -> Color {
        let bytes = Array(data)
        guard bytes.count == 3 else { throw NotThreeBytes() }
        return Color(red: bytes[0], green: bytes[1], blue: bytes[2])
    }
}
