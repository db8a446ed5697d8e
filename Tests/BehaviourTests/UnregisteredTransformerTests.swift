import Cairn
import Foundation
import GraphSupport
import Testing

/// What happens if no transformer is registered under the name in the model.
@Suite struct `An unregistered transformer` {
    private static let entities: [EntityDescription] = {
        var attribute = AttributeDescription("shape", .transformable)
        attribute.valueTransformerName = "NotebookNobody"
        return [
            EntityDescription(
                "Figure", [.attribute(attribute), .attribute("plain", .transformable)]),
            EntityDescription("Circle", superentity: "Figure", [.attribute("radius", .double)]),
        ]
    }()

    @Test func `is named by a query over the model, once for each declaration`() throws {
        let model = try ManagedObjectModel(Self.entities)

        let missing = ValueTransformers.unregistered(in: model)

        #expect(missing.map(\.entity) == ["Figure"])
        #expect(missing.map(\.attribute) == ["shape"])
        #expect(missing.map(\.transformer) == ["NotebookNobody"])
        #expect(missing.first?.description.contains("Figure.shape") == true)
    }

    @Test func `is named with the most similar name that is registered`() throws {
        var tags = AttributeDescription("tags", .transformable)
        tags.valueTransformerName = "NSSecureUnarchiveFromDataTransformer"
        let entities = [EntityDescription("Figure", [.attribute(tags)])]
        let suggestion = "Did you mean “NSSecureUnarchiveFromData”?"

        let missing = ValueTransformers.unregistered(in: try ManagedObjectModel(entities))
        let error = try StudioStack(.inMemory, entities).inContext { context throws in
            let figure = try context.insert("Figure", ["tags": Data([1])])
            return #expect(throws: GraphError.self) {
                try figure.transformedValue(forKey: "tags", as: [String].self)
            }
        }

        #expect(missing.first?.description.contains(suggestion) == true)
        #expect(error?.description.contains(suggestion) == true, "\(String(describing: error))")
    }

    @Test(arguments: chosenEngines)
    func `leaves the raw data readable and settable`(_ type: StoreType) throws {
        let stack = try StudioStack(type, Self.entities)
        try stack.fill { context throws in
            _ = try context.insert("Figure", ["shape": Data([1, 2, 3])])
        }

        try stack.inContext { context throws in
            let figure = try context.only("Figure")
            #expect(try figure.value(forKey: "shape") as? Data == Data([1, 2, 3]))
            #expect(try figure["shape"] == .transformable(Data([1, 2, 3])))
        }
    }

    @Test func `causes an error wherever a typed value is read or set`() throws {
        try StudioStack(.inMemory, Self.entities).inContext { context throws in
            let figure = try context.insert("Figure", ["shape": Data([1])])

            let read = #expect(throws: GraphError.self) {
                try figure.transformedValue(forKey: "shape", as: Data.self)
            }
            let write = #expect(throws: GraphError.self) {
                try figure.setValue(["a"], forKey: "shape")
            }

            for error in [read, write] {
                guard case .transformation(let failure)? = error,
                    case .notRegistered = failure.reason
                else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
                #expect(failure.transformer == "NotebookNobody")
                #expect(failure.description.contains("Figure.shape"))
                #expect(failure.description.contains("NotebookNobody"))
            }
            #expect(try figure["shape"] == .transformable(Data([1])))
        }
    }
}
