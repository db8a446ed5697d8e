import Cairn
import Foundation

/// A model with more entities than the one that a store was made with, so that other entities have
/// other numbers.
enum LargerModel: String, CaseIterable, Sendable {
    /// A root entity in front of all others.
    case inFront
    /// A root entity in front of the last one.
    case inTheMiddle
    /// A subentity of the first root entity, in front of its other subentities.
    case below
    /// All three.
    case everywhere
    /// A root entity behind all others: no entity has another number.
    case behind

    /// Returns the model with the entities added.
    func added(to model: ManagedObjectModel) -> ModelDescription {
        var description = model.description
        let roots = model.entities.filter { $0.superentity == nil }
        guard let first = roots.first, let last = roots.last else { return description }
        func add(_ name: String, below superentity: Entity? = nil) {
            description.entities.append(
                EntityDescription(
                    name, superentity: superentity?.name,
                    [
                        .attribute("newText", .string), .toOne("newFirst", first.name),
                        .toMany("newMany", last.name),
                    ]))
        }
        if self == .inFront || self == .everywhere { add("AaNew") }
        if self == .below || self == .everywhere { add("AaSub", below: first) }
        if self == .inTheMiddle || self == .everywhere {
            // Sorts before the last root entity, and after those whose names do not begin like it.
            let name = String(last.name.dropLast())
            add(roots.contains { $0.name == name } || name.isEmpty ? "Aa" + last.name : name)
        }
        if self == .behind { add("ZzNew") }
        return description
    }

    /// Returns the entities that the larger model has and the other does not.
    func newNames(in model: ManagedObjectModel) -> Set<String> {
        Set(added(to: model).entities.map(\.name)).subtracting(model.entities.map(\.name))
    }

    /// Writes the larger model as a file, for the tool.
    func write(_ model: ManagedObjectModel, to location: URL) throws -> URL {
        try ModelWriter.writeSource(
            ["Larger": added(to: model)], current: "Larger", to: location)
        return location
    }
}
