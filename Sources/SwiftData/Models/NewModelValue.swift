internal import CairnModel

/// The value of a property of a model without a context.
struct NewModelValue {
    enum Content {
        /// A relationship without a destination, or a to-many relationship that is `nil`.
        case nothing
        /// An attribute of a plain type.
        case plain(Value)
        case model(any PersistentModel)
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

        init(_ models: [any PersistentModel], of type: any PersistentModel.Type) {
            func content<Model: PersistentModel>(_: Model.Type) -> Self {
                Self(models.compactMap { $0 as? Model })
            }
            self = content(type)
        }
    }

    let name: String
    var content: Content
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
