import CairnMacros
import Foundation
@Entity final class Book: ManagedObject {
    var read = Date()
    var size = 2 * 3
}
