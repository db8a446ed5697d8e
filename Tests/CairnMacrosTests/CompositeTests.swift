import CairnMacros
import CairnTestSupport
import Foundation
import Testing

@Composite struct Position: Equatable {
    var x: Double
    @Attribute(.range(-90...90), originalName: "latitude") var y: Double? = 1.5
}

/// A public structure with properties that are not all public.
@Composite("Place") public struct Whereabouts: Equatable {
    /// Has a default value.
    public var town = ""
    var exact: Position?
    var mood: Mood?
}

@Entity final class Traveller: ManagedObject {
    #Unique<Traveller>([\.name, \.home.town])
    #Index<Traveller>([\.work?.town, \.name])
    var name: String = ""
    var home: Whereabouts
    var work: Whereabouts?
}

@Suite struct `Structures that are composites by macro` {
    private static let model = Result { try ManagedObjectModel(for: Traveller.self) }

    /// The model in the form that Xcode's editor writes.
    private static let modelOfXcode = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" sourceLanguage="Swift">
            <entity name="Traveller" representedClassName="Traveller" syncable="YES">
                <attribute name="home" attributeType="Composite" composite="Place"/>
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <attribute name="work" optional="YES" attributeType="Composite" composite="Place"/>
                <fetchIndex name="byWorkTownAndName">
                    <fetchIndexElement property="work.town" type="Binary" order="ascending"/>
                    <fetchIndexElement property="name" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint>
                        <constraint value="name"/>
                        <constraint value="home.town"/>
                    </uniquenessConstraint>
                </uniquenessConstraints>
            </entity>
            <composite name="Position">
                <attribute name="x" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="y" optional="YES" attributeType="Double" minValueString="-90" maxValueString="90" defaultValueString="1.5" usesScalarValueType="NO" elementID="latitude"/>
            </composite>
            <composite name="Place">
                <attribute name="town" attributeType="String" defaultValueString=""/>
                <attribute name="exact" optional="YES" attributeType="Composite" composite="Position"/>
                <attribute name="mood" optional="YES" attributeType="String"/>
            </composite>
        </model>
        """

    @Test func `produce the model that Xcode's editor would produce`() throws {
        let folder = try TemporaryFolder()
        let source = folder.file("Xcode.xcdatamodel")
        try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
        try Data(Self.modelOfXcode.utf8).write(to: source.appending(path: "contents"))
        let file = try ManagedObjectModel(contentsOf: source)
        let model = try Self.model.get()

        #expect(ModelChanges(from: file, to: model).lines == [])
        #expect(model.entityVersionHashes == file.entityVersionHashes)
        #expect(Set(model.description.composites) == Set(file.description.composites))
    }

    @Test func `can be values of an object`() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model.get())
        try coordinator.addPersistentStore(ofType: .inMemory, at: nil)
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            let home = Whereabouts(town: "Nuneaton", exact: Position(x: 52.5), mood: .calm)
            let traveller = try Traveller(context: context, name: "Eliot", home: home)
            try context.save()
            try context.refreshAllObjects()

            #expect(traveller.home == home && traveller.home.exact?.y == 1.5)
            #expect(traveller.work == nil)
        }
    }

    @Test func `can be unique with other properties in SQLite stores`() throws {
        let folder = try TemporaryFolder()
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try Self.model.get())
        try coordinator.addPersistentStore(ofType: .sqlite, at: folder.file("travellers.sqlite"))
        try ContextHandle(coordinator: coordinator).performAndWait { context in
            for town in ["Nuneaton", "Coventry"] {
                _ = try Traveller(context: context, name: "Eliot", home: Whereabouts(town: town))
            }
            try context.save()
            _ = try Traveller(context: context, name: "Eliot", home: Whereabouts(town: "Coventry"))

            #expect(throws: GraphError.self) { try context.save() }
        }
    }
}
