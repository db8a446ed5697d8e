import CairnMacros
@Entity final class Book: ManagedObject {
    @Attribute(.rnage(1...9)) var pages: Int = 1
    @Attribute(originalname: "size") var size: Int = 1
    @Relationship(deleteRule: .casacde) var pages2: Members<Book>
}
