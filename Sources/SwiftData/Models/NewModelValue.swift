internal import CairnModel

/// The value of a property of a model without a context.
struct NewModelValue {
    enum Content {
        /// A relationship without a destination, or a to-many relationship that is `nil`.
        case nothing
        /// An attribute of a plain type.
        case plain(Value)
        case model(any PersistentModel)
        /// As `model`, but does not hold the model.
        case knownModel(KnownModel)
        /// A to-many relationship without members.
        case noModels
        case models(ModelList)
        /// An attribute of another type.
        indirect case other(Any)

        init<Model: PersistentModel>(_ models: [Model]?) {
            guard let models else {
                self = .nothing
                return
            }
            self = models.isEmpty ? .noModels : .models(TypedModelList(models))
        }

        init(_ models: [any PersistentModel], of type: any PersistentModel.Type, isHeld: Bool) {
            func content<Model: PersistentModel>(_: Model.Type) -> Self {
                let models = models.compactMap { $0 as? Model }
                return isHeld || models.isEmpty
                    ? Self(models) : .models(KnownModelList(models.map(KnownModel.init)))
            }
            self = content(type)
        }

        /// The destination of a to-one relationship.
        var destination: (any PersistentModel)? {
            switch self {
            case .model(let model): model
            case .knownModel(let known): known.model
            case .nothing, .plain, .noModels, .models, .other: nil
            }
        }
    }

    let name: StaticString
    var content: Content
}

/// The values of a model without a context.
struct NewModelValues {
    private(set) var all: [NewModelValue] = []
    /// The index after that of the last value that was set. Initializers set the initial values of all properties, and
    /// then set properties in about the same order.
    private var next = 0

    /// The value of a property. `nil` if it was not set.
    subscript(name: StaticString) -> NewModelValue.Content? {
        get {
            for value in all where Self.areEqual(value.name, name) { return value.content }
            return nil
        }
        set {
            guard let newValue else { return }
            if next == all.count { next = 0 }
            if next < all.count, Self.areEqual(all[next].name, name) {
                all[next].content = newValue
            } else if let index = all.firstIndex(where: { Self.areEqual($0.name, name) }) {
                all[index].content = newValue
                next = index
            } else {
                if all.isEmpty { all.reserveCapacity(4) }
                next = all.count
                all.append(NewModelValue(name: name, content: newValue))
            }
            next += 1
        }
    }

    /// Returns whether two names are equal. Usually, those of the same property are the same literal.
    @inline(__always) static func areEqual(_ left: StaticString, _ right: StaticString) -> Bool {
        guard left.utf8CodeUnitCount == right.utf8CodeUnitCount else { return false }
        return left.utf8Start == right.utf8Start || haveSameBytes(left, right)
    }

    private static func haveSameBytes(_ left: StaticString, _ right: StaticString) -> Bool {
        left.withUTF8Buffer { left in right.withUTF8Buffer { left.elementsEqual($0) } }
    }
}

/// A reference to a model that it does not hold.
struct KnownModel {
    private(set) weak var model: (any PersistentModel)?
}

/// The members of a to-many relationship of a model without a context.
class ModelList {
    var all: [any PersistentModel] { [] }
}

/// Members as an array of their class, so that reading them needs no conversion.
final class TypedModelList<Model: PersistentModel>: ModelList {
    let models: [Model]

    init(_ models: [Model]) { self.models = models }

    override var all: [any PersistentModel] { models }
}

/// Members that the list does not hold.
final class KnownModelList: ModelList {
    private let models: [KnownModel]

    init(_ models: [KnownModel]) { self.models = models }

    override var all: [any PersistentModel] { models.compactMap(\.model) }
}
