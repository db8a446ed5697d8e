import Cairn
import Foundation

/// The value of one attribute of a fixture.
struct FixtureValue {
    let attribute: Attribute
    private let object: ManagedObject

    init(_ attribute: Attribute, of object: ManagedObject) {
        (self.attribute, self.object) = (attribute, object)
    }

    /// The object's current value.
    var current: Value { get throws(GraphError) { try object[attribute.name] } }

    /// Whether the current value is the default value of new objects.
    var isDefault: Bool {
        get throws(GraphError) { try current == attribute.description.defaultValue }
    }

    /// Returns whether the model's rules and the class's checks accept a value.
    func accepts(_ value: Value) throws(GraphError) -> Bool {
        do {
            try object.validateValue(value, forKey: attribute.name)
            return true
        } catch .validation {
            return false
        } catch {
            throw error
        }
    }

    /// Sets a value that the rules and the checks accept.
    ///
    /// - Parameter number: The number that distinguishes the value from others. Values repeat if a range has
    ///   fewer values than there are numbers.
    /// - Throws: ``FixtureError`` if no acceptable value is found; `GraphError`.
    func set(number: Int) throws {
        if attribute.type == .transformable {
            return try setTransformed("\(attribute.name) \(number)")
        }
        for candidate in FixtureCandidates(attribute, number: number).values
        where try accepts(candidate) {
            return try object.setValue(candidate, forKey: attribute.name)
        }
        throw error("no value that the rules of “\(attribute.name)” accept was found")
    }

    /// Sets a text if the transformer accepts it, and bytes otherwise.
    private func setTransformed(_ text: String) throws {
        for value in [text as Any, Data(text.utf8)] {
            do {
                try object.validateValue(value, forKey: attribute.name)
                return try object.setValue(value, forKey: attribute.name)
            } catch .wrongType, .transformation, .validation {
                continue
            } catch {
                throw error
            }
        }
        throw error("the transformer of “\(attribute.name)” accepts neither a string nor bytes")
    }

    func error(_ reason: String) -> FixtureError {
        FixtureError(entity: object.entity.name, property: attribute.name, reason: reason)
    }
}
