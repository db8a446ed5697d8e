import CairnStore
import Foundation

/// Builds metadata from the elements of an XML property list.
struct PropertyListBuilder {
    private enum Container {
        case dictionary([String: MetadataValue], key: String?)
        case array([MetadataValue])
    }

    private var open: [Container] = []
    /// The outermost value, or `nil` until it is complete.
    private(set) var value: MetadataValue?

    /// - Returns: A description of the error, or `nil` if the element is valid.
    mutating func begin(_ name: String) -> String? {
        switch name {
        case "dict": open.append(.dictionary([:], key: nil))
        case "array": open.append(.array([]))
        case "key", "string", "integer", "real", "true", "false", "date", "data": break
        default: return "“\(name)” is not an element of a property list"
        }
        return nil
    }

    /// - Returns: A description of the error, or `nil` if the element is valid.
    mutating func end(_ name: String, _ text: String) -> String? {
        switch name {
        case "key":
            guard case .dictionary(let entries, nil)? = open.popLast() else {
                return "a key is not allowed here"
            }
            open.append(.dictionary(entries, key: text))
            return nil
        case "dict", "array": return endContainer()
        default:
            guard let value = Self.scalar(name, text) else {
                return "“\(name)” does not contain a valid value"
            }
            return add(value)
        }
    }

    private mutating func endContainer() -> String? {
        switch open.popLast() {
        case .dictionary(let entries, nil): add(.dictionary(entries))
        case .array(let members): add(.array(members))
        case .dictionary, nil: "a key has no value"
        }
    }

    private mutating func add(_ value: MetadataValue) -> String? {
        switch open.popLast() {
        case .dictionary(var entries, let key?):
            entries[key] = value
            open.append(.dictionary(entries, key: nil))
        case .array(var members):
            members.append(value)
            open.append(.array(members))
        case .dictionary(_, nil): return "a value in a dictionary has no key"
        case nil:
            guard self.value == nil else { return "the property list has two values" }
            self.value = value
        }
        return nil
    }

    private static func scalar(_ name: String, _ text: String) -> MetadataValue? {
        let trimmed = text.trimmingCharacters(in: .whitespacesAndNewlines)
        switch name {
        case "string": return .string(text)
        case "integer": return Int64(trimmed).map(MetadataValue.integer)
        case "real": return Double(trimmed).map(MetadataValue.real)
        case "true": return .boolean(true)
        case "false": return .boolean(false)
        case "date": return (try? Date(trimmed, strategy: .iso8601)).map(MetadataValue.date)
        case "data": return Data(spacedBase64: text).map(MetadataValue.data)
        default: return nil
        }
    }
}
