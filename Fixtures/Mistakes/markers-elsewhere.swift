import CairnMacros
final class Book: ManagedObject {
    @Unique @Managed var title: String
}
@Composite class Place { var town = "" }
@Composite struct Point { let x: Double; var y = -1.5 }
