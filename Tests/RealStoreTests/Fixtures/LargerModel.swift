import Cairn
import Foundation

/// A model with more entities than the model with which a store was created, so that other entities get
/// different numbers.
enum LargerModel: String, CaseIterable, Sendable {
    /// Adds a root entity before all others.
    case inFront
    /// Adds a root entity before the last one.
    case inTheMiddle
    /// Adds a subentity to the first root entity, before its other subentities.
    case below
    /// Adds all three.
    case everywhere
    /// Adds a root entity after all others, so that no entity gets a different number.
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
            // The name sorts before the last root entity, and after those whose names do not begin with it.
            let name = String(last.name.dropLast())
            add(roots.contains { $0.name == name } || name.isEmpty ? "Aa" + last.name : name)
        }
        if self == .behind { add("ZzNew") }
        return description
    }

    /// Returns the names of the entities that only the larger model has.
    func newNames(in model: ManagedObjectModel) -> Set<String> {
        Set(added(to: model).entities.map(\.name)).subtracting(model.entities.map(\.name))
    }

    /// Writes the larger model to a file, for the tool.
    func write(_ model: ManagedObjectModel, to location: URL) throws -> URL {
        try ModelWriter.writeSource(
            ["Larger": added(to: model)], current: "Larger", to: location)
        return location
    }
}
