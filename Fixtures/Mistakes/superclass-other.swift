import CairnMacros
import Foundation
@Entity final class Book: NSObject {
    var title = ""
}
