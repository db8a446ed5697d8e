import Cairn
import CairnTestSupport
import Synchronization

/// Swift classes for the entities of any model. Each lists its slot names in a random order.
///
/// A class numbers the slots of its accessors by its ``ManagedObject/slotNames``, and an entity numbers them
/// by its row layout. Code that confuses the two numbers works as long as both orders are the same, so tests
/// run with classes for which they differ.
///
/// A class sometimes omits names: unnamed slots follow the named ones.
public enum PermutedClasses {
    /// The seed that determines the order of the names. It is printed once in each run. `CAIRN_SEED` repeats
    /// a run.
    public static let seed = SeededRandom.seed(of: "permuted classes")

    private struct State {
        var byModel: [String: ObjectClasses] = [:]
        var names: [ObjectIdentifier: [String]] = [:]
    }

    private static let state = Mutex(State())

    /// Returns classes for all entities of the model. Equal models get the same classes.
    public static func classes(for model: ManagedObjectModel) -> ObjectClasses {
        let key = key(of: model)
        return state.withLock { state in
            if let known = state.byModel[key] { return known }
            let classes = makeClasses(for: model, in: &state)
            state.byModel[key] = classes
            return classes
        }
    }

    private static func key(of model: ManagedObjectModel) -> String {
        model.entities.map { entity in
            ([entity.name] + entity.properties.map(\.name)).joined(separator: ",")
        }.joined(separator: ";")
    }

    private static func makeClasses(
        for model: ManagedObjectModel, in state: inout State
    ) -> ObjectClasses {
        var classes = ObjectClasses()
        for entity in model.entities {
            let number = state.names.count
            let objectClass = makeClass(number, End.self)
            var random = SeededRandom(seed: seed &+ UInt64(number))
            state.names[ObjectIdentifier(objectClass)] = names(of: entity, using: &random)
            // Models may name classes that do not exist in tests. These names are looked up first.
            classes.register(objectClass, as: entity.name)
            if let declared = entity.description.managedObjectClassName {
                classes.register(objectClass, as: declared)
            }
        }
        return classes
    }

    private static func names(of entity: Entity, using random: inout SeededRandom) -> [String] {
        let natural = entity.properties.filter { $0.storage.rowSlot != nil }
            .sorted { ($0.storage.rowSlot ?? 0) < ($1.storage.rowSlot ?? 0) }.map(\.name)
        var names = natural.shuffled(using: &random)
        if names == natural { names.reverse() }
        return names.dropLast(Int(random.next() % UInt64(natural.count / 3 + 1)))
    }

    /// Returns a distinct class for each number.
    private static func makeClass<Bits>(_ number: Int, _: Bits.Type) -> ManagedObject.Type {
        if number == 0 { return PermutedObject<Bits>.self }
        return number % 2 == 0
            ? makeClass(number / 2, Zero<Bits>.self) : makeClass(number / 2, One<Bits>.self)
    }

    static func slotNames(of objectClass: ObjectIdentifier) -> [String] {
        state.withLock { $0.names[objectClass] ?? [] }
    }
}

private enum End {}
private enum Zero<Bits> {}
private enum One<Bits> {}

/// An object whose slots have the order that ``PermutedClasses`` chose.
private final class PermutedObject<Bits>: ManagedObject {
    override class var slotNames: [String] {
        PermutedClasses.slotNames(of: ObjectIdentifier(self))
    }
}
