import Cairn
import Foundation

/// The value of one attribute of a fixture.
struct FixtureValue {
    let attribute: Attribute
    private let object: ManagedObject

    init(_ attribute: Attribute, of object: ManagedObject) {
        (self.attribute, self.object) = (attribute, object)
    }

    /// The current value of the object.
    var current: Value { get throws(GraphError) { try object[attribute.name] } }

    /// Whether the object still has the default value.
    var isDefault: Bool {
        get throws(GraphError) { try current == attribute.description.defaultValue }
    }

    /// Returns whether the model's rules and the class's checks accept a value.
    ///
    /// - Throws: `.wrongThread`, `.store`.
    func accepts(_ value: Value) throws(GraphError) -> Bool {
        do throws(GraphError) {
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
    /// - Parameter number: the number that makes values differ. Values repeat if a range has fewer values
    ///   than there are numbers.
    /// - Throws: ``FixtureError`` if no such value is found; `GraphError`.
    func set(number: Int) throws {
        if attribute.type == .transformable {
            return try setTransformed("\(attribute.name) \(number)")
        }
        for candidate in FixtureCandidates(attribute, number: number).values
        where try accepts(candidate) {
            return try object.setValue(candidate, forKey: attribute.name)
        }
        throw error("no value was found for “\(attribute.name)” that its rules accept")
    }

    /// Sets a string, or bytes if the transformer does not accept a string.
    private func setTransformed(_ text: String) throws {
        for value in [text as Any, Data(text.utf8)] {
            do throws(GraphError) {
                try object.validateValue(value, forKey: attribute.name)
                return try object.setValue(value, forKey: attribute.name)
            } catch .wrongType, .transformation, .validation {
                continue
            } catch {
                throw error
            }
        }
        throw error("the transformer of “\(attribute.name)” takes neither a text nor bytes")
    }

    func error(_ reason: String) -> FixtureError {
        FixtureError(entity: object.entity.name, property: attribute.name, reason: reason)
    }
}
